// A person looks at a packet and decides on it. The card is shown first; the decision names what was shown: by a yes at the terminal, or by
// the hash that a script was given.
import type { ApprovalView } from '../../approval/approval-desk.ts'
import { isCardCut, renderCard } from '../../approval/card.ts'
import { countVotes } from '../../contract/approval/approval-pattern.ts'
import { wirePacket } from '../../contract/wire.ts'
import { systemClock, toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import { available, type CommandIo, type CommandResult, done, missing, misuse, type Needed } from '../command.ts'
import { withPeople, withPerson } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'
import type { Terminal } from '../terminal.ts'

export function showApproval(io: CommandIo): Promise<CommandResult> {
  return withPeople(io, async ({ approvals }) => {
    const [id = ''] = io.words
    const approval = await approvals.get(id)
    if (approval === undefined) return unknownApproval(id)
    const whole = io.flag('whole')
    // A decision names the hash: it is shown to those who have seen all that it stands for. As JSON, all of it is there.
    const isCut = !whole && isCardCut(approval.packet)
    const hash = isCut
      ? `not all is shown: proviso approvals show ${approval.id} --whole`
      : `packet ${approval.packetHash}`
    const hashLine = `${hash}  ${io.colours.bold(approval.status)}`
    return printResult(io, wireApproval(approval), [cardOf(approval, io, whole), hashLine])
  })
}

type DecisionVerb = 'approve' | 'reject'

export function decideApproval(verb: DecisionVerb, io: CommandIo): Promise<CommandResult> {
  return withPerson(io, async ({ credential, people: { approvals } }) => {
    const [id = ''] = io.words
    const before = await approvals.get(id)
    if (before === undefined) return unknownApproval(id)
    if (verb === 'reject' && (io.option('reason') ?? '').trim() === '')
      return misuse('Say why: --reason TEXT. The agent is told.')
    const hash = await seenHash(before, verb, io)
    if (!hash.ok) return hash.result
    const decision = { credential, packetHash: hash.value, ...io.pick('reason') }
    const after = await approvals[verb](id, decision)
    const isTaken = after.decisions.length > before.decisions.length
    return printResult(io, { ...wireApproval(after), taken: isTaken }, decisionText(after, isTaken, io), isTaken)
  })
}

async function seenHash(approval: ApprovalView, verb: DecisionVerb, io: CommandIo): Promise<Needed<string>> {
  const hash = io.option('packet')
  if (hash !== undefined) return available(hash)
  if (io.ask === undefined || io.json)
    return missing('Say which packet you have seen: --packet HASH, as proviso approvals show prints it.')
  io.note(cardOf(approval, io))
  if (verb === 'approve' && isCardCut(approval.packet)) {
    const opened = await io.ask('A part of it is cut. Type open to see all of it: ')
    if (opened.trim() !== 'open') {
      io.note('Nothing was decided.')
      return { ok: false, result: done(false) }
    }
    io.note(cardOf(approval, io, true))
  }
  const answer = await io.ask(`Type ${verb} to ${verb} exactly this: `)
  if (answer.trim() === verb) return available(approval.packetHash)
  io.note('Nothing was decided.')
  return { ok: false, result: done(false) }
}

function decisionText(after: ApprovalView, isTaken: boolean, { colours: { bold, dim } }: Terminal): string {
  const { status, decisions, id, requirement, packet, barred } = after
  const last = decisions.at(-1)
  if (!isTaken) return `${bold('Not taken')}  ${id} is ${status}, and stays so.`
  const vote = `${lineText(last?.by ?? '')} ${last?.verdict ?? ''} ${id}`
  const next = {
    pending: countVotes(requirement, decisions, packet.requester.user, barred).reason,
    approved: 'It goes ahead with the next call of its agent, or by itself where the call asked so.',
    rejected: 'Nothing is done; the agent is told.',
    expired: 'It has run out.',
    superseded: 'Another packet has taken its place.',
    used: 'It is under way.',
  }[status]
  return `${bold(status)}  ${vote}\n${dim(next)}`
}

const cardOf = ({ packet }: ApprovalView, { columns = 80 }: Terminal, whole = false) =>
  renderCard(packet, { now: systemClock.now(), width: Math.min(columns, 120), whole })

const unknownApproval = (id: string): CommandResult =>
  misuse(`There is no approval ${id.slice(0, 64)}.`, ['proviso approvals list shows what waits.'])

export function wireApproval(approval: ApprovalView): JsonObject {
  const { id, kind, status, callId, run, packetHash, requirementHash, attached, token, packet } = approval
  return {
    id,
    kind,
    status,
    call_id: callId,
    run: run ?? null,
    packet_hash: packetHash,
    requirement_hash: requirementHash,
    created_at: toIso(approval.createdAt),
    expires_at: toIso(approval.expiresAt),
    attached: attached.map(({ callId: call_id, trace }) => ({ call_id, trace_id: trace })),
    token: token ?? null,
    // A packet is made of plain data, but its interface types do not show that.
    packet: wirePacket(packet) as unknown as JsonObject,
  }
}
