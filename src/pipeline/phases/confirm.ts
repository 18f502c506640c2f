// Does a person have to agree, and did they agree to exactly this? An approval counts only for the packet it was given for, by its signed
// token; a grant only for the set of calls that its people looked at.
import { checkToken, type TokenCheck } from '../../approval/approval-token.ts'
import { type CoveringGrant, coveringGrants } from '../../approval/grant/find-grant.ts'
import type { AskedQuestion } from '../../approval/question.ts'
import type { Approval } from '../../contract/approval/approval.ts'
import { covers, type Requirement } from '../../contract/approval/approval-pattern.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { approvalStatus } from '../../ledger/rules/permit.ts'
import { askAbout, payloadHash } from '../call/question.ts'
import { approvalSubject } from '../call/same-operation.ts'
import { type Gate, type Gives, pass, passWith, stop, type Verdict, type Wait } from '../phase.ts'

interface Evidence {
  readonly now: EpochMs
  /** Undefined where it cannot be said exactly what would run. */
  readonly payloadHash: string | undefined
  /** What a person would be asked now. */
  readonly packetHash?: string
  readonly requirement?: Requirement
  readonly approval: Approval | undefined
  readonly token?: TokenCheck
  readonly grant?: CoveringGrant | undefined
}

const notAsked: Evidence = { approval: undefined, payloadHash: '', now: 0 as EpochMs }

type Given = Gives<JudgedCall, never, 'grant' | 'approval' | 'payloadHash' | 'lookedUp' | 'overtaken'>

export const confirm: Gate<JudgedCall, Given, Evidence> = {
  name: 'confirm',
  does: 'Waits for the people the effect class demands; their approval is bound to the exact payload.',
  stopsWith: [
    {
      class: 'CONFIRMATION_MISSING',
      reasons: ['approval_pending', 'approval_rejected', 'approval_expired', 'approval_invalid'],
    },
  ],
  gather(call, { ledger, clock }) {
    return isAsked(call) ? findApproval(call, ledger, clock.now()) : notAsked
  },
  decide(call, evidence) {
    if (!isAsked(call)) return pass
    const { approval, now, payloadHash: hash, grant } = evidence
    if (hash === undefined) return stop('CONFIRMATION_MISSING', 'approval_invalid', unbound)
    const status = approval === undefined ? undefined : approvalStatus(approval, now)
    if (approval !== undefined && status === 'rejected')
      return stop('CONFIRMATION_MISSING', 'approval_rejected', rejection(approval))
    if (approval !== undefined && status === 'approved') return judgeApproved(call, approval, evidence, hash)
    if (grant !== undefined) return passWith({ grant, payloadHash: hash })
    // Another pass was admitted with it: what became of that one is in the slot, which was read before.
    if (status === 'used' && call.slotRef !== undefined && !call.overtaken)
      return { kind: 'again', from: 'permission', gives: { lookedUp: undefined, overtaken: true } }
    const waiting = status === 'pending' ? approval?.id : undefined
    return waitFor(call, hash, status === 'expired' ? 'approval_expired' : 'approval_pending', { waiting })
  },
  /** The token is in the approval; a reader of the facts need not have it. */
  keep: ({ approval, ...evidence }) => ({
    ...evidence,
    approval: approval === undefined ? undefined : { ...approval, token: undefined },
  }),
}

const unbound =
  'What the tool would get cannot be pinned down, so it cannot be approved: its schema makes instances of classes of the arguments.'

/** An approval of a step of a saga covers that it is undone: no person is asked about going back. */
const isAsked = ({ asks, saga }: JudgedCall): boolean =>
  asks !== undefined && asks.length > 0 && saga?.direction !== 'backward'

async function findApproval(call: JudgedCall, ledger: Ledger, now: EpochMs): Promise<Evidence> {
  const hash = payloadHash(call)
  if (hash === undefined) return { approval: undefined, payloadHash: hash, now }
  const question = askAbout(call, hash)
  const { packetHash, requirement } = question
  const { user } = call.principal
  const [approval, standing, { publicKeys }] = await Promise.all([
    ledger.approvals.find(approvalSubject(call, hash), call.run),
    user === undefined
      ? []
      : ledger.approvals.grants({ tenant: call.tenant, tool: call.tool.contract.identity.name, user, inForce: true }),
    ledger.approvals.signingKeys(),
  ])
  return {
    now,
    payloadHash: hash,
    packetHash,
    requirement,
    approval,
    ...(approval === undefined ? {} : { token: checkToken(approval, packetHash, publicKeys, now) }),
    grant: standing.length === 0 ? undefined : await covering(call, question, { standing, publicKeys, now }, ledger),
  }
}

/** The first that covers the call and has enough left for it; where another call is faster, the admission says so. */
async function covering(
  call: JudgedCall,
  { requirement }: AskedQuestion,
  search: Pick<Parameters<typeof coveringGrants>[0], 'standing' | 'publicKeys' | 'now'>,
  ledger: Ledger,
): Promise<CoveringGrant | undefined> {
  const { tenant, principal, callJson, permissionInput: input } = call
  // What a schema library made of the arguments is not what the grant was proven for.
  if (hashJson(callJson) !== hashJson(input)) return undefined
  const { user, agent } = principal
  const { contract, contractHash } = call.tool
  const tool = contract.identity.name
  const untrusted = await isUntrusted(call, ledger)
  const granted = { tenant, tool, contractHash, user, agent, untrusted }
  for (const grant of coveringGrants({ ...search, requirement, call: { ...granted, input } })) {
    const balances = await ledger.limits.balances(tenant, grant.claims)
    if (grant.claims.every(({ amount, max }, index) => (balances[index]?.used ?? 0) + amount <= max)) return grant
  }
  return undefined
}

/** Asked of the ledger each time: another process may have read something since. A call outside of any run vouches for nothing. */
async function isUntrusted({ untrusted, tenant, run }: JudgedCall, ledger: Ledger): Promise<boolean> {
  if (untrusted || run === undefined) return true
  return (await ledger.runs.labels(tenant, run)).includes('untrusted')
}

function judgeApproved(call: JudgedCall, approval: Approval, evidence: Evidence, hash: string): Verdict<Given> {
  const { packetHash, requirement, token, grant } = evidence
  if (approval.subject.payloadHash !== hash)
    return stop('CONFIRMATION_MISSING', 'approval_invalid', 'The approval was given for another payload.')
  const isStronger = requirement === undefined || !covers(approval.requirement, requirement)
  if (approval.packetHash !== packetHash || isStronger) {
    if (grant !== undefined) return passWith({ grant, payloadHash: hash })
    return waitFor(call, hash, 'approval_pending', { replaces: approval.id })
  }
  if (token === 'expired') return waitFor(call, hash, 'approval_expired', { replaces: approval.id })
  if (token !== 'valid')
    return stop('CONFIRMATION_MISSING', 'approval_invalid', `The approval's token does not hold: ${token}.`)
  return passWith({ approval, payloadHash: hash })
}

function waitFor(
  call: JudgedCall,
  hash: string,
  reason: Wait['reason'],
  { replaces, waiting }: { readonly replaces?: string; readonly waiting?: string | undefined },
): Wait {
  return { kind: 'wait', reason, asked: askAbout(call, hash), payloadHash: hash, replaces, waiting }
}

function rejection(approval: Approval): string {
  const decision = approval.decisions.find((entry) => entry.verdict === 'rejected')
  const why = decision?.reason === undefined ? '' : ` The reason given: ${JSON.stringify(decision.reason)}.`
  return `A person rejected this call.${why} Do not propose it again unless something has changed.`
}
