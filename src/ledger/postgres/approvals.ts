// Approvals on Postgres. People's pace: every change is a transaction of its own, on a locked row.

import {
  type Approval,
  type ApprovalRequest,
  type ApprovalSubject,
  approvalStatus,
  type Decision,
} from '../../contract/approval.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Database } from './database.ts'
import { type Query, queryOn } from './query-on.ts'

type Row = [
  body: Buffer,
  createdAt: number,
  expiresAt: number,
  usedBy: string | null,
  decisions: Buffer[] | null,
  now: number,
]

export function createApprovals(database: Database) {
  const change = <T>(work: (query: Query) => Promise<T>) => database.transaction((client) => work(queryOn(client)))

  return {
    async open({ ttlMs, ...request }: ApprovalRequest, maxOpen: number): Promise<Approval | undefined> {
      const { tenant, slotKey, generation, payloadHash } = request.subject
      return change(async (query) => {
        await query('lock-approvals-of-run', [tenant, request.run ?? ''])
        const [found] = await query<Row>('approval-of-subject', [tenant, slotKey, generation, payloadHash])
        if (found !== undefined && isOpen(found)) return approvalOf(found)
        const [waiting] = await query<[number]>('approvals-waiting', [tenant, request.run ?? null])
        if ((waiting?.[0] ?? 0) >= maxOpen) return undefined
        const [row] = await query<Row>('open-approval', [
          request.id,
          tenant,
          request.callId,
          request.run ?? null,
          slotKey,
          generation,
          payloadHash,
          Buffer.from(JSON.stringify(request)),
          ttlMs,
        ])
        return row === undefined ? undefined : approvalOf(row)
      })
    },
    async find({ tenant, slotKey, generation, payloadHash }: ApprovalSubject): Promise<Approval | undefined> {
      const [row] = await database.read<Row>(tenant, 'approval-of-subject', [tenant, slotKey, generation, payloadHash])
      return row === undefined ? undefined : approvalOf(row)
    },
    async get(id: string, tenant: string | undefined): Promise<Approval | undefined> {
      const [row] = await database.read<Row>(tenant, 'approval', [id])
      return row === undefined ? undefined : approvalOf(row)
    },
    async list(tenant: string | undefined): Promise<readonly Approval[]> {
      return (await database.read<Row>(tenant, 'approvals', [tenant ?? null])).map(approvalOf)
    },
    async decide(
      id: string,
      decision: Omit<Decision, 'at'>,
      tenant: string | undefined,
    ): Promise<Approval | undefined> {
      return change(async (query) => {
        const [locked] = await query<[string]>('lock-approval', [id, tenant ?? null])
        if (locked === undefined) return undefined
        const [row] = await query<Row>('approval', [id])
        if (row === undefined) return undefined
        const approval = approvalOf(row)
        const now = row[5] as EpochMs
        const status = approvalStatus(approval, now)
        // An approval may be withdrawn as long as nothing has used it.
        if (status !== 'pending' && !(status === 'approved' && decision.verdict === 'rejected')) return approval
        const decisions = [...approval.decisions, { ...decision, at: now }]
        const decided = { ...approval, decisions }
        const after = approvalStatus(decided, now)
        const verdict = after === 'approved' || after === 'rejected' ? after : 'pending'
        const body = Buffer.from(JSON.stringify(decisions.at(-1)))
        await query('decide-approval', [id, verdict, decisions.length, body])
        return decided
      })
    },
  }
}

function isOpen(row: Row): boolean {
  const status = approvalStatus(approvalOf(row), row[5] as EpochMs)
  return status === 'pending' || status === 'approved'
}

function approvalOf([body, createdAt, expiresAt, usedBy, decisions]: Row): Approval {
  return {
    ...(JSON.parse(body.toString()) as Omit<ApprovalRequest, 'ttlMs'>),
    createdAt: createdAt as EpochMs,
    expiresAt: expiresAt as EpochMs,
    decisions: (decisions ?? []).map((decision) => JSON.parse(decision.toString()) as Decision),
    usedBy: usedBy ?? undefined,
  }
}
