// Rebuilds from facts what decides: slots, limits, labels, pins, grants, keys and all else that is bound. The database joins what it has with
// what facts say, and gives back what differs.

import type { AuditFinding, FindingKind } from '../../log/audit/audit-finding.ts'
import { checkpointOrigin, readCheckpoint } from '../../log/checkpoint.ts'
import { boundTables, installation, unboundColumns } from '../../log/unbound.ts'
import type { Query } from '../driver/query-on.ts'
import { statement } from '../driver/statements.ts'
import { currentVersion } from '../migrate.ts'

type DifferingRow = [kind: FindingKind, tenant: string, callId: string | null, place: string, message: string]

const rebuilt = [
  'rebuild-slots',
  'rebuild-marks',
  'rebuild-resources',
  'rebuild-rows',
  'rebuild-counters',
  'rebuild-keys',
] as const

export async function rebuildRows(query: Query, tenant: string | undefined): Promise<readonly AuditFinding[]> {
  await query('rebuild-settings')
  const differing: DifferingRow[] = []
  for (const name of rebuilt) {
    const text = statement(name).replace('/* stored rows */', storedRows)
    differing.push(...(await query<DifferingRow>(name, [tenant ?? null], text)))
  }
  await query('log-settings')
  const found = differing.map(
    ([kind, owner, callId, place, message]): AuditFinding => ({
      kind,
      tenant: owner,
      ...(callId === null ? {} : { callId }),
      place,
      message,
    }),
  )
  const checkpoints = await query<[owner: string, size: number, text: string]>('rebuild-checkpoints', [tenant ?? null])
  for (const [owner, size, text] of checkpoints) {
    const reading = readCheckpoint(text)
    // One that cannot be read is found by itself.
    if (!reading.ok || (reading.checkpoint.origin === checkpointOrigin(owner) && reading.checkpoint.size === size))
      continue
    const message = 'It is listed under another tenant or size than it was signed for.'
    found.push({ kind: 'row_edited', tenant: owner, place: `checkpoint over ${size} leaves`, message })
  }
  return tenant === undefined ? [...found, ...(await layoutFindings(query))] : found
}

/** Every row of every bound table, under its name and with its state. */
const storedRows: string = Object.entries(boundTables)
  .map(([table, { key, ofTenant }]) => {
    const unbound = `'{${unboundColumns(table).join(',')}}'::text[]`
    const named = `proviso.row_key_v1(to_jsonb(x), '{${key.join(',')}}')`
    const owner = ofTenant ? 'x.tenant' : `'${installation}'`
    return `select ${owner} as tenant, '${table}' as table_name, ${named} as key, proviso.row_name_v1('${table}', ${named}) as name,
      proviso.row_state_v1(to_jsonb(x), ${unbound}) as state, proviso.row_columns_v1(to_jsonb(x), ${unbound}) as columns
    from proviso.${table} x where $1::text is null or ${owner} = $1`
  })
  .join('\nunion all\n')

type LayoutRow = [what: string, number: number, sha256: string, name: string | null]

/** The lists of what the ledger was made of say what this version says. What a later version has added is not judged. */
async function layoutFindings(query: Query): Promise<readonly AuditFinding[]> {
  const { steps, functions } = currentVersion()
  const wanted = [
    ...steps.map(({ number, name, sha256 }): LayoutRow => ['step', number, sha256, name]),
    ['functions', functions.version, functions.sha256, null] satisfies LayoutRow,
  ]
  const stored = await query<LayoutRow>('rebuild-layout')
  const cursors = await query('log-cursor')
  const lost = {
    kind: 'row_missing',
    tenant: installation,
    place: 'the cursor of the log',
    message: 'It is gone.',
  } as const
  return [
    ...(cursors.length === 0 ? [lost] : []),
    ...wanted.flatMap((row): readonly AuditFinding[] => {
      const [what, number] = row
      const found = stored.find((each) => each[0] === what && each[1] === number)
      if (found !== undefined && found[2] === row[2] && found[3] === row[3]) return []
      const kind = found === undefined ? 'row_missing' : 'row_edited'
      const message = 'It is not what this version of Proviso has made of the ledger.'
      return [{ kind, tenant: installation, place: `${what} ${number} of the ledger`, message }]
    }),
  ]
}
