// OpenAI: function tools of Chat Completions and Responses in strict mode.
import type { DialectTable } from './dialect-table.ts'

export const openaiDialect: DialectTable = {
  provider: 'openai',
  date: '2026-11-15',
  sources: [
    'https://platform.openai.com/docs/guides/structured-outputs#supported-schemas',
    'https://platform.openai.com/docs/guides/function-calling#strict-mode',
  ],
  names: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, longest: 64 },
  subset: {
    objects: 'closed',
    optional: 'nullable',
    recursion: 'anywhere',
    keywords: new Set([
      'minimum',
      'maximum',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'multipleOf',
      'pattern',
      'minItems',
      'maxItems',
    ]),
    mostMinItems: Number.POSITIVE_INFINITY,
    patterns: 'any',
    formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
    enumOf: new Set(['string', 'number', 'boolean', 'null']),
    tuples: false,
    untyped: false,
    ordering: undefined,
    limits: {
      properties: 5_000,
      levels: 10,
      goodLevels: 5,
      enumValues: 1_000,
      text: 120_000,
      longEnum: { over: 250, text: 15_000 },
    },
  },
}
