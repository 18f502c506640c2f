// Anthropic: tools of the Messages API with `strict`.
import { type DialectTable, noLimits } from './dialect-table.ts'

export const anthropicDialect: DialectTable = {
  provider: 'anthropic',
  date: '2026-11-15',
  sources: [
    'https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations',
    'https://platform.claude.com/docs/en/agents-and-tools/tool-use/strict-tool-use',
  ],
  names: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, longest: 64 },
  subset: {
    objects: 'closed',
    optional: 'omitted',
    recursion: 'nowhere',
    keywords: new Set(['pattern', 'minItems']),
    mostMinItems: 1,
    patterns: 'plain',
    formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
    enumOf: new Set(['string', 'number', 'boolean', 'null']),
    tuples: false,
    untyped: false,
    ordering: undefined,
    limits: noLimits,
  },
  request: { tools: 20, optional: 24, unions: 16 },
}
