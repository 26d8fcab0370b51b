export const PIECES: Record<string, Record<string, string>>;
