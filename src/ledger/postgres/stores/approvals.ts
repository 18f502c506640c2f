// Approvals and grants on Postgres. People's pace: every change is a transaction of its own, on a locked row, by the database's clock.
import type { Approval, ApprovalRequest, Decision } from '../../../contract/approval/approval.ts'
import { type StandingGrant, standingGrant } from '../../../contract/approval/standing-grant.ts'
import type { EpochMs } from '../../../json/clock.ts'
import type { Approvals } from '../../ports/approvals.ts'
import { defaultPage } from '../../ports/ledger.ts'
import { type IssueToken, isSameQuestion, judgeDecision, maxAttached, raiseOf } from '../../rules/decision.ts'
import { isInForce, requesterText } from '../../rules/permit.ts'
import type { Database } from '../driver/database.ts'
import { type Query, queryOn } from '../driver/query-on.ts'

type Row = [
  body: Buffer,
  createdAt: number,
  expiresAt: number,
  usedBy: string | null,
  superseded: boolean,
  token: string | null,
  attached: string[],
  decisions: Buffer[] | null,
  now: number,
]

type GrantRow = [...approval: Row, revocation: Buffer | null, revokedAt: number | null]

export function createApprovalRows(database: Database, signingKeys: Approvals['signingKeys']): Approvals {
  const change = <T>(work: (query: Query) => Promise<T>) => database.transaction((client) => work(queryOn(client)))

  return {
    open(request, maxOpen) {
      return change((query) => openOn(query, request, maxOpen))
    },
    async find(subject, run) {
      const { tenant, slotKey, generation, payloadHash } = subject
      if (run !== undefined) {
        const [rejected] = await database.read<Row>(tenant, 'approval-rejected', [tenant, payloadHash])
        if (rejected !== undefined) return approvalOf(rejected)
      }
      const [row] = await database.read<Row>(tenant, 'approval-of-subject', [tenant, slotKey, generation, payloadHash])
      return row === undefined ? undefined : approvalOf(row)
    },
    async get(id, tenant) {
      const [row] = await database.read<Row>(tenant, 'approval', [id])
      return row === undefined ? undefined : approvalOf(row)
    },
    async list({ tenant, status, after, limit = defaultPage } = {}) {
      const place = [tenant ?? null, after ?? null]
      const rows =
        status === 'pending'
          ? await database.read<Row>(tenant, 'approvals-pending', [...place, limit])
          : await database.read<Row>(tenant, 'approvals', [...place, status ?? null, limit])
      return rows.map(approvalOf)
    },
    decide(id, decision, issue, tenant) {
      return change((query) => decideOn(query, { id, decision, issue, tenant }))
    },

    async resumable(after) {
      return (await database.run<[string]>('approvals-resumable', [after ?? null])).map(([callId]) => callId)
    },
    async grants({ tenant, tool, user, inForce }) {
      const filters = [tenant ?? null, tool ?? null, user ?? null]
      const isLookup = inForce === true && !filters.includes(null)
      const rows = await database.read<GrantRow>(tenant, isLookup ? 'grants-in-force' : 'grants', filters)
      const all = rows.flatMap((row) => {
        const grant = grantOf(row)
        return grant === undefined || (inForce === true && !isInForce(grant, row[8] as EpochMs)) ? [] : [grant]
      })
      return all
    },
    revokeGrant(id, revocation, tenant) {
      return change(async (query) => {
        await query('grant-revoke', [id, Buffer.from(JSON.stringify(revocation)), tenant ?? null])
        const [row] = await query<GrantRow>('grant', [id])
        const grant = row === undefined ? undefined : grantOf(row)
        return grant !== undefined && (tenant === undefined || grant.tenant === tenant) ? grant : undefined
      })
    },
    signingKeys,
  }
}

async function openOn(query: Query, given: ApprovalRequest, maxOpen: number): Promise<Approval | undefined> {
  const { ttlMs, replaces, waiting: awaited, ...request } = given
  const { tenant, slotKey, generation, payloadHash } = request.subject
  const requester = requesterText(request)
  await query('lock-approvals-of-requester', [tenant, JSON.stringify([requester, request.run ?? null])])
  await query('lock-approvals-of-slot', [tenant, slotKey])
  const [decided] = awaited === undefined ? [] : await query<Row>('approval', [awaited])
  if (decided !== undefined && decided[3] !== null) return approvalOf(decided)
  const open = (await query<Row>('approval-open-of-slot', [tenant, slotKey, generation, payloadHash])).map(approvalOf)
  const same = open.find((one) => one.id !== replaces && isSameQuestion(one, request))
  if (same !== undefined) return attach(query, same, request)
  const replaced = open.map(({ id }) => id)
  const [waiting] = await query<[number]>('approvals-waiting', [tenant, requester, request.run ?? null, replaced])
  if ((waiting?.[0] ?? 0) >= maxOpen) return undefined
  for (const one of open) await query('approval-supersede', [one.id])
  const [row] = await query<Row>('open-approval', [
    request.id,
    tenant,
    request.callId,
    requester,
    request.run ?? null,
    slotKey,
    generation,
    payloadHash,
    request.kind,
    request.resume,
    Buffer.from(JSON.stringify(request)),
    ttlMs,
  ])
  return row === undefined ? undefined : approvalOf(row)
}

async function attach(
  query: Query,
  open: Approval,
  { callId, question: { trace } }: Pick<Approval, 'callId' | 'question'>,
): Promise<Approval> {
  if (open.callId === callId || open.attached.some((call) => call.callId === callId)) return open
  if (open.attached.length >= maxAttached) return open
  await query('approval-attach', [open.id, JSON.stringify([callId, trace]), maxAttached])
  return { ...open, attached: [...open.attached, { callId, trace }] }
}

interface Vote {
  readonly id: string
  readonly decision: Omit<Decision, 'at'>
  readonly issue: IssueToken
  readonly tenant: string | undefined
}

async function decideOn(query: Query, { id, decision, issue, tenant }: Vote): Promise<Approval | undefined> {
  const [locked] = await query<[string]>('lock-approval', [id, tenant ?? null])
  if (locked === undefined) return undefined
  const [row] = await query<Row>('approval', [id])
  if (row === undefined) return undefined
  const approval = approvalOf(row)
  const judged = judgeDecision(approval, decision, row[8] as EpochMs, issue)
  if (judged.kind === 'unchanged') return approval
  const { approval: decided, status } = judged
  const verdict = status === 'approved' || status === 'rejected' ? status : 'pending'
  const body = Buffer.from(JSON.stringify(decided.decisions.at(-1)))
  await query('approval-decide', [id, verdict, decided.decisions.length, body, decided.token ?? null])
  const grant = status === 'approved' ? standingGrant(decided, undefined) : undefined
  if (grant !== undefined)
    await query('grant-add', [grant.id, grant.tenant, grant.tool, grant.user, Number(grant.expiresAt)])
  const raise = status === 'approved' ? raiseOf(decided) : undefined
  if (raise !== undefined) {
    const { name, windowMs, amount, by, why } = raise
    await query('raise-limit', [raise.tenant, id, name, windowMs ?? 0, amount, by, why])
  }
  return decided
}

function approvalOf(row: Row | GrantRow): Approval {
  const [body, createdAt, expiresAt, usedBy, superseded, token, attached, decisions] = row
  return {
    ...(JSON.parse(body.toString()) as Omit<ApprovalRequest, 'ttlMs' | 'replaces'>),
    createdAt: createdAt as EpochMs,
    expiresAt: expiresAt as EpochMs,
    decisions: (decisions ?? []).map((decision) => JSON.parse(decision.toString()) as Decision),
    attached: attached.map((text) => {
      const [callId, trace] = JSON.parse(text) as [string, string]
      return { callId, trace }
    }),
    token: token ?? undefined,
    superseded,
    usedBy: usedBy ?? undefined,
  }
}

function grantOf(row: GrantRow): StandingGrant | undefined {
  const [revocation, revokedAt] = [row[9], row[10]]
  const said = revocation === null ? undefined : (JSON.parse(revocation.toString()) as { by: string; reason: string })
  // A row whose revocation was blotted out stays revoked.
  const revoked = revokedAt === null ? undefined : { by: '', reason: '', ...said, at: revokedAt as EpochMs }
  return standingGrant(approvalOf(row), revoked)
}
