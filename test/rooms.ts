// The table of rooms: what each folder of src/ may import. A room is a folder; index.ts and public/, the public API, are the room `index`.

const inner = [
  'json',
  'schema',
  'subschema',
  'contract',
  'surface',
  'ledger',
  'policy',
  'identity',
  'approval',
  'drift',
  'execute',
] as const

export const rooms: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['json', []],
  ['schema', ['json']],
  ['subschema', ['json', 'schema']],
  ['contract', ['json', 'schema']],
  ['surface', ['contract', 'schema', 'subschema']],
  ['ledger', ['contract']],
  ['policy', ['contract', 'ledger']],
  ['identity', ['contract', 'ledger']],
  ['approval', ['contract', 'ledger', 'policy', 'subschema']],
  ['drift', ['contract', 'surface', 'subschema', 'ledger']],
  ['execute', ['contract', 'ledger', 'policy']],
  ['pipeline', inner],
  ['telemetry', ['contract']],
  ['turn', ['contract', 'surface', 'ledger', 'drift', 'pipeline']],
  ['runtime', [...inner, 'pipeline', 'telemetry', 'turn']],
  ['index', [...inner, 'pipeline', 'telemetry', 'turn', 'runtime']],
  ['adapters', ['index']],
  ['evaluate', ['index', 'subschema']],
  ['gateway', ['index', 'drift', 'telemetry']],
  [
    'cli',
    [...inner, 'pipeline', 'telemetry', 'turn', 'runtime', 'index', 'adapters', 'evaluate', 'gateway', 'examples'],
  ],
  ['examples', ['index', 'adapters', 'subschema', 'ledger']],
])

/** The rooms whose nouns all others speak: a room may use them where a room that it names does (docs/adr/0007). */
const foundation = ['json', 'schema']

/** Rooms that know Proviso only as its users do; the foundation is not theirs. */
const outside: ReadonlySet<string> = new Set(['adapters', 'evaluate', 'gateway', 'examples'])

/** Everything that a room may import. */
export function allowedImports(room: string): ReadonlySet<string> {
  const named = rooms.get(room) ?? []
  if (outside.has(room)) return new Set(named)
  const lent = named.flatMap((other) => (outside.has(other) ? [] : [...allowedImports(other)]))
  return new Set([...named, ...lent.filter((other) => foundation.includes(other))])
}

/** The room of a file, given by its path from the root of the project; undefined for what is in no room. */
export function roomOf(path: string): string | undefined {
  const [top, second, third] = path.split('/')
  if (top === 'examples') return 'examples'
  if (top !== 'src' || second === undefined) return undefined
  if (third !== undefined) return second === 'public' ? 'index' : second
  return second === 'index.ts' ? 'index' : undefined
}
