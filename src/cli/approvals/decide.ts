// A person looks at a packet and decides on it. The card is shown first; the decision names what was shown: by a yes at the terminal, or by
// the hash that a script was given.
import type { ApprovalView } from '../../approval/approval-desk.ts'
import { renderCard } from '../../approval/card.ts'
import type { People } from '../../approval/people.ts'
import { countVotes } from '../../contract/approval/approval-pattern.ts'
import { systemClock } from '../../json/clock.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import { ownKey } from '../keys/own-key.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { wireApproval } from './approval-line.ts'

export async function showApproval(people: People, id: string, given: Given, terminal: Terminal): Promise<Outcome> {
  const shown = await people.approvals.get(id)
  if (shown === undefined) return unknown(id)
  if (flag(given, 'json')) terminal.out(JSON.stringify(wireApproval(shown), null, 2))
  else {
    terminal.out(cardOf(shown, terminal))
    terminal.out(`packet ${shown.packetHash}  ${terminal.colours.bold(shown.status)}`)
  }
  return done(true)
}

export async function decide(
  people: People,
  verdict: 'approve' | 'reject',
  id: string,
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const own = await ownKey(given, terminal)
  if (!own.ok) return misuse(own.message)
  const shown = await people.approvals.get(id)
  if (shown === undefined) return unknown(id)
  const reason = text(given, 'reason')
  if (verdict === 'reject' && (reason ?? '').trim() === '') return misuse('Say why: --reason TEXT. The agent is told.')
  const displayed = await displayedHash(shown, verdict, given, terminal)
  if (displayed.kind === 'missing')
    return misuse('Say which packet you have seen: --packet HASH, as proviso approvals show prints it.')
  if (displayed.kind === 'declined') {
    terminal.note('Nothing was decided.')
    return done(false)
  }
  const after = await people.approvals[verdict](id, {
    credential: own.key,
    packetHash: displayed.hash,
    ...(reason === undefined ? {} : { reason }),
  })
  const isTaken = after.decisions.length > shown.decisions.length
  if (flag(given, 'json')) terminal.out(JSON.stringify({ ...wireApproval(after), taken: isTaken }, null, 2))
  else terminal.out(outcomeOf(after, isTaken, terminal))
  return done(isTaken)
}

type Displayed =
  | { readonly kind: 'shown'; readonly hash: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'declined' }

async function displayedHash(
  shown: ApprovalView,
  verdict: 'approve' | 'reject',
  given: Given,
  terminal: Terminal,
): Promise<Displayed> {
  const hash = text(given, 'packet')
  if (hash !== undefined) return { kind: 'shown', hash }
  if (terminal.ask === undefined || flag(given, 'json')) return { kind: 'missing' }
  terminal.note(cardOf(shown, terminal))
  const answer = await terminal.ask(`Type ${verdict} to ${verdict} exactly this: `)
  return answer.trim() === verdict ? { kind: 'shown', hash: shown.packetHash } : { kind: 'declined' }
}

function outcomeOf(after: ApprovalView, isTaken: boolean, { colours: { bold, dim } }: Terminal): string {
  const { status, decisions, id, requirement, packet, barred } = after
  const last = decisions.at(-1)
  if (!isTaken) return `${bold('Not taken')}  ${id} is ${status}, and stays so.`
  const said = `${lineText(last?.by ?? '')} ${last?.verdict ?? ''} ${id}`
  const next = {
    pending: countVotes(requirement, decisions, packet.requester.user, barred).reason,
    approved: 'It goes ahead with the next call of its agent, or by itself where the call asked so.',
    rejected: 'Nothing is done; the agent is told.',
    expired: 'It has run out.',
    superseded: 'Another packet has taken its place.',
    used: 'It is under way.',
  }[status]
  return `${bold(status)}  ${said}\n${dim(next)}`
}

const cardOf = ({ packet }: ApprovalView, { columns = 80 }: Terminal) =>
  renderCard(packet, { now: systemClock.now(), width: Math.min(columns, 120) })

const unknown = (id: string): Outcome =>
  misuse(`There is no approval ${id.slice(0, 64)}.`, ['proviso approvals list shows what waits.'])
