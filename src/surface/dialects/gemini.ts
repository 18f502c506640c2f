// Gemini: function declarations with `parametersJsonSchema`. What the provider does not know it ignores, so nothing else is sent.
import { type DialectTable, noLimits } from './dialect-table.ts'

export const geminiDialect: DialectTable = {
  provider: 'gemini',
  date: '2026-11-15',
  sources: [
    'https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support',
    'https://ai.google.dev/api/caching#FunctionDeclaration',
  ],
  names: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/, longest: 64 },
  subset: {
    objects: 'given',
    optional: 'omitted',
    recursion: 'below_optional',
    keywords: new Set(['minimum', 'maximum', 'minItems', 'maxItems']),
    mostMinItems: Number.POSITIVE_INFINITY,
    patterns: 'any',
    formats: new Set(['date-time', 'date', 'time']),
    enumOf: new Set(['string', 'number']),
    tuples: true,
    untyped: true,
    ordering: 'propertyOrdering',
    limits: noLimits,
  },
}
