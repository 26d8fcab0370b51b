export const GLOSSARY: Record<string, [words: string, meaning: string, plain?: string][]>;
