export const WORDS: Record<string, Record<string, string>>;
export const PIECE_NAMES: Record<string, Record<string, string>>;
export const SIDES: Record<string, Record<string, string[]>>;
export const HANDICAPS: Record<string, Record<string, string>>;
export const GRADES: Record<string, string[]>;
