export const STRONGEST: Record<Game, number>;
export const FIRST_LEVEL: number;
export const FILE_MAX: number;
export const HEADER_MAX: number;
export const CLOCKS: string[];
export const LINES: Record<Game, number>;
export const SETS: string[];
