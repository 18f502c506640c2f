// Reads calls and answers beside what their groups of facts bind, all in the order of their keys and piece by piece, so that a ledger of
// any size is read in little memory.

import { nilUuid } from '../../../json/id.ts'
import type {
  BoundAnswer,
  BoundCall,
  BoundGroup,
  BoundKey,
  BoundRows,
  FindBound,
  StoredCall,
} from '../../log/audit/audit-calls.ts'
import { type Binds, digestOf, slotDigest } from '../../log/binds.ts'
import { callKeyHash, callRecord, columnText } from '../codec/call-text.ts'
import type { Query } from '../driver/query-on.ts'
import { statement } from '../driver/statements.ts'

/** What a group binds stands in its last four columns, in hex. */
type GroupRow = [
  callId: string,
  entry: string,
  tenant: string,
  ticket: number,
  call: string | null,
  slot: string | null,
  answer: string | null,
  amended: string | null,
]

type CallRow = [
  id: string,
  tenant: string,
  run: string | null,
  tool: string,
  status: string,
  effect: string,
  body: Buffer,
  logged: boolean,
]

type AnswerRow = [tenant: string, slotKey: string, generation: number, callId: string, digest: string, logged: boolean]

type KeyRow = [callId: string, key: string, tenant: string, runs: boolean]

/** How many rows a verification reads at once. */
export const pieceSize = 2_000
/** A cursor takes no parameters. */
const nextPiece = (name: string) => statement(name).replace('/* pieceSize */', String(pieceSize))

export function readBoundRows(query: Query, tenant: string | undefined): BoundRows {
  return { calls: readCalls(query, tenant), findBound: findBoundBy(query, tenant) }
}

/** Four streams in the order of calls, merged: of any a call may be missing. */
async function* readCalls(query: Query, tenant: string | undefined): AsyncGenerator<BoundCall> {
  const rows = readRows(query, tenant)
  const told = callsOf(readGroups(query, tenant))
  await query('log-open-answers', [tenant ?? null])
  const held = inPieces<AnswerRow>(() => query('log-next-answers', [], nextPiece('log-next-answers')))
  await query('rebuild-open-keys', [tenant ?? null])
  const found = inPieces<KeyRow>(() => query('rebuild-next-keys', [], nextPiece('rebuild-next-keys')))
  let row = await next(rows)
  let call = await next(told)
  let answer = await next(held)
  let key = await next(found)
  for (;;) {
    const callId = firstOf(row?.[0], call?.callId, answer?.[3], key?.[0])
    if (callId === undefined) return
    const owner = call?.callId === callId ? call.tenant : undefined
    const groups = call?.callId === callId ? call.groups : []
    const stored = row?.[0] === callId ? storedCall(row, owner ?? row[1]) : undefined
    const answers: BoundAnswer[] = []
    for (; answer?.[3] === callId; answer = await next(held)) answers.push(boundAnswer(answer, owner, groups))
    const keys: BoundKey[] = []
    for (; key?.[0] === callId; key = await next(found)) keys.push({ key: key[1], tenant: key[2], runs: key[3] })
    const name = owner ?? (row?.[0] === callId ? row[1] : (answers[0]?.tenant ?? keys[0]?.tenant ?? ''))
    yield { tenant: name, callId, groups, stored, keys, answers }
    if (row?.[0] === callId) row = await next(rows)
    if (call?.callId === callId) call = await next(told)
  }
}

function firstOf(...ids: readonly (string | undefined)[]): string | undefined {
  let first: string | undefined
  for (const id of ids) if (id !== undefined && (first === undefined || id < first)) first = id
  return first
}

function boundAnswer(row: AnswerRow, owner: string | undefined, groups: readonly BoundGroup[]): BoundAnswer {
  const [tenant, slotKey, generation, callId, digest, logged] = row
  const place = `generation ${generation} of slot ${slotKey}, call ${callId}`
  const slot = slotDigest(slotKey, generation)
  return { tenant, callId, place, slot, digest, groups: tenant === owner ? groups : [], logged }
}

async function* callsOf(
  rows: AsyncGenerator<GroupRow>,
): AsyncGenerator<Pick<BoundCall, 'tenant' | 'callId' | 'groups'>> {
  let callId: string | undefined
  let tenant = ''
  let groups: BoundGroup[] = []
  for await (const row of rows) {
    const [id, , owner, order] = row
    if (id !== callId) {
      if (callId !== undefined) yield { tenant, callId, groups }
      callId = id
      tenant = owner
      groups = []
    }
    groups.push({ order, binds: bindsIn(row) })
  }
  if (callId !== undefined) yield { tenant, callId, groups }
}

/** Undefined where the group binds nothing. */
function bindsIn([, , , , call, slot, answer, amended]: GroupRow): Binds | undefined {
  const bound = { call, slot, answer, amended }
  const entries = Object.entries(bound).filter(([, hash]) => hash !== null)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Binds)
}

function storedCall([, tenant, run, tool, status, effect, body, logged]: CallRow, owner: string): StoredCall {
  const digest = digestOf(body)
  try {
    const call = callRecord(body)
    const { key } = call
    const names =
      key.tenant === tenant &&
      tenant === owner &&
      (key.run === undefined ? null : columnText(key.run)) === run &&
      columnText(key.tool) === tool
    const agrees = names && call.status === status && call.effect === effect
    return { body: digest, key: callKeyHash(key), agrees, logged }
  } catch {
    // Something else was written there.
    return { body: digest, key: undefined, agrees: false, logged }
  }
}

/** A call that was given up may have happened after all, when another held the slot: all groups are asked once more. */
const findBoundBy =
  (query: Query, tenant: string | undefined): FindBound =>
  async (answers) => {
    const wanted = Map.groupBy(answers, (answer) => `${answer.slot} ${answer.digest} ${answer.tenant}`)
    const found = new Set<BoundAnswer>()
    for await (const row of readGroups(query, tenant)) {
      const [callId, , owner] = row
      const { slot, answer, amended } = bindsIn(row) ?? {}
      if (slot === undefined) continue
      for (const each of wanted.get(`${slot} ${answer ?? amended} ${owner}`) ?? [])
        if (each.callId !== callId) found.add(each)
    }
    return found
  }

const readRows = (query: Query, tenant: string | undefined) =>
  inPieces<CallRow>((last) => query('log-bound-calls', [tenant ?? null, last?.[0] ?? nilUuid, pieceSize]))

const readGroups = (query: Query, tenant: string | undefined) =>
  inPieces<GroupRow>((last) => {
    const after = [last?.[0] ?? nilUuid, last?.[1] ?? nilUuid]
    return query('log-bound-groups', [tenant ?? null, ...after, pieceSize])
  })

/** The next piece is read while one is looked at. */
async function* inPieces<Row>(read: (last: Row | undefined) => Promise<readonly Row[]>): AsyncGenerator<Row> {
  let piece = read(undefined)
  for (;;) {
    const rows = await piece
    const isLast = rows.length < pieceSize
    if (!isLast) {
      piece = read(rows.at(-1))
      // Looked at when it is awaited, which may be after it has failed.
      piece.catch(() => undefined)
    }
    yield* rows
    if (isLast) return
  }
}

async function next<T>(stream: AsyncGenerator<T>): Promise<T | undefined> {
  const { value, done } = await stream.next()
  return done === true ? undefined : value
}
