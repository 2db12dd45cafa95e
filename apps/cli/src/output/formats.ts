export const FORMATS = ['table', 'json', 'yaml', 'ndjson', 'template'] as const
export type Format = (typeof FORMATS)[number]
