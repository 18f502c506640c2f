// Gathers what proves one call: its groups, their contents, and the way from each leaf up to a signed root.
import { setTimeout as pause } from 'node:timers/promises'
import { isUuid } from '../../../json/id.ts'
import { type AuditProof, makeProof, type ProofSource } from '../../log/proof/proof.ts'
import type { FactsLeaf } from '../../log/tree/leaf.ts'
import { inclusionReads } from '../../log/tree/tree-path.ts'
import type { Proving } from '../../ports/transparency-log.ts'
import type { Database } from '../driver/database.ts'
import { type Query, queryOn } from '../driver/query-on.ts'
import { mergeDelayMs } from './sequencer.ts'
import { loadHashes, type RetirementRow, readRetirement } from './stored-tree.ts'

type CallRow = [
  tenant: string,
  index: number,
  pass: number,
  group: number,
  commitment: Buffer,
  previous: Buffer,
  body: Buffer | null,
  salt: Buffer | null,
]

export interface ProveOptions {
  readonly callId: string
  /** As whom the call is looked for; the host's own tools leave it out. */
  readonly tenant: string | undefined
  /** Puts what is pending into the log. */
  readonly sequence: () => Promise<unknown>
  /** Signs the tenant's head, where this process can. */
  readonly sign: (tenant: string) => Promise<unknown>
}

export async function gatherProof(database: Database, options: ProveOptions): Promise<Proving> {
  const { callId, tenant, sequence, sign } = options
  if (!isUuid(callId)) return fail('That is not the id of a call.')
  const owner = await awaitLeaves(database, callId, tenant, sequence)
  if (owner === undefined) return fail(`The log has nothing of a call ${callId}.`)
  await sign(owner)
  // One snapshot, in which checkpoint, leaves and nodes belong together.
  return database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only')
    return gather(queryOn(client), owner, callId)
  })
}

/** A group waits for older transactions to end: for as long as the merge delay allows, so does this. */
async function awaitLeaves(
  database: Database,
  callId: string,
  tenant: string | undefined,
  sequence: () => Promise<unknown>,
): Promise<string | undefined> {
  const giveUpAt = performance.now() + mergeDelayMs
  for (;;) {
    await sequence()
    const [waiting] = await database.read<[number]>(tenant, 'log-waiting-of-call', [callId])
    if ((waiting?.[0] ?? 0) === 0 || performance.now() > giveUpAt) break
    await pause(50)
  }
  const [row] = await database.read<CallRow>(tenant, 'log-call', [callId])
  return row?.[0]
}

async function gather(query: Query, tenant: string, callId: string): Promise<Proving> {
  const [newest] = await query<[string, number, string]>('log-newest-checkpoints', [tenant])
  if (newest === undefined) return fail('No checkpoint is signed yet: the log needs a key, see log.keyFile.')
  const [, size, checkpoint] = newest
  const rows = (await query<CallRow>('log-call', [callId])).filter((row) => row[0] === tenant)
  const covered = rows.filter(([, index]) => index < size)
  if (covered.length === 0) return fail('No checkpoint covers this call yet.')
  const groups = covered.map((row) => groupOf(callId, row))
  const gone = groups.some(({ content }) => content === undefined)
  const retirements = gone ? (await query<RetirementRow>('log-retirements', [tenant])).map(readRetirement) : []
  const telling = retirements.filter(({ index, leaf }) => index < size && callId >= leaf.from && callId < leaf.to)
  const reads = [...groups, ...telling].flatMap(({ index }) => inclusionReads(index, size))
  const hashAt = await loadHashes(query, tenant, reads)
  if (hashAt === undefined) return fail('Hashes of the tree are missing: verify the log.')
  const [waiting] = await query<[number]>('log-waiting-of-call', [callId])
  const more = rows.length > covered.length || (waiting?.[0] ?? 0) > 0
  const next = more ? covered.length + 1 : undefined
  const proof = proofOf({ tenant, callId, checkpoint, size, groups, retirements: telling, hashAt, next })
  return proof === undefined ? fail('The stored facts are not text: verify the log.') : { ok: true, proof }
}

function groupOf(callId: string, row: CallRow) {
  const [tenant, index, pass, group, commitment, previous, body, salt] = row
  const leaf: FactsLeaf = { kind: 'facts', tenant, callId, pass, group, commitment, previous }
  return { leaf, index, content: body === null || salt === null ? undefined : { salt, bytes: body } }
}

/** Undefined where the facts are no longer text, which they were when they were recorded. */
function proofOf(source: ProofSource): AuditProof | undefined {
  try {
    return makeProof(source)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

const fail = (reason: string): Proving => ({ ok: false, reason })
