// What a person is asked and what they said. A packet shows the concrete call; an approval is bound to the exact packet it shows.
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { EffectClass } from '../effects.ts'
import { countVotes, type Requirement, type Vote } from './approval-pattern.ts'

/** One argument as the executor gets it, or the default that the schema states for one left out. */
export interface PacketArgument {
  readonly pointer: string
  readonly value: JsonValue
  readonly origin: 'given' | 'default'
}

/** A vote with what proves it: the credential it was given with, and the packet that was displayed. */
export interface Decision extends Vote {
  readonly reason: string | undefined
  readonly keyId: string
  readonly packetHash: string
  /** The signature of the process that saw the credential. */
  readonly seal?: string
  readonly at: EpochMs
}

/** What the person is shown, as it stands from the opening on. */
export interface Question {
  readonly actionName: { readonly tool: string; readonly version: string; readonly title: string }
  /** Shown text already: the card seals it and does not escape it again. */
  readonly consequence: string
  /** Sensitive values are masked. */
  readonly arguments: readonly PacketArgument[]
  /** Null where it is not known. */
  readonly beforeState: JsonObject | null
  readonly afterState: JsonObject | null
  readonly fingerprint: string
  /** With every voice that asked for a person. */
  readonly riskClass: {
    readonly class: EffectClass
    readonly why: readonly { readonly source: string; readonly message: string }[]
  }
  readonly compensation: string
  readonly rejectionPath: string
  readonly trace: string
  readonly callId: string
  readonly tenant: string
  readonly requester: { readonly user: string | undefined; readonly agent: string | undefined }
  readonly run: string | undefined
}

/** The specification's twelve fields: the question, until when, and who has to decide. */
export interface Packet extends Question {
  readonly expiresAt: EpochMs
  readonly approvers: { readonly requirement: Requirement; readonly decisions: readonly Decision[] }
}

/** What a packet stands for and does not show. */
export interface PacketGround {
  /** Of call_input, as the executor gets it. */
  readonly payloadHash: string
  readonly contractHash: string
  readonly executorVersion: string | null
  /** Of the state that was shown, where the tool reads one. */
  readonly stateVersion: string | null
}

/** What an approval is bound to: any other payload, contract or generation of the operation needs another one. */
export interface ApprovalSubject {
  readonly tenant: string
  readonly slotKey: string
  readonly generation: number
  readonly payloadHash: string
}

export type ApprovalKind = 'call' | 'grant' | 'budget'

export interface Approval {
  readonly id: string
  /** What is asked for: one call, a standing approval, or a larger budget. */
  readonly kind: ApprovalKind
  readonly callId: string
  readonly run: string | undefined
  readonly subject: ApprovalSubject
  readonly question: Question
  readonly ground: PacketGround
  readonly packetHash: string
  readonly requirement: Requirement
  /** On whose word people are asked: rules with their versions. */
  readonly policies: readonly string[]
  readonly requirementHash: string
  /** People who may not approve, beside the one who asked. */
  readonly barred: readonly string[]
  /** What is granted or raised, where the approval is not for a call. */
  readonly content: JsonObject | undefined
  readonly createdAt: EpochMs
  readonly expiresAt: EpochMs
  readonly decisions: readonly Decision[]
  /** Other calls of the same operation that wait for the same decision, with their traces. */
  readonly attached: readonly { readonly callId: string; readonly trace: string }[]
  /** Signed when enough people had approved. */
  readonly token: string | undefined
  /** Another packet took its place before anything used it. */
  readonly superseded: boolean
  /** Set while an attempt uses it; cleared when that attempt had no effect. */
  readonly usedBy: string | undefined
  /** The decision itself runs the call again. */
  readonly resume: boolean
}

type Later = 'createdAt' | 'expiresAt' | 'decisions' | 'attached' | 'token' | 'superseded' | 'usedBy'

/** An approval to be opened; the ledger's clock says when it begins and ends. */
export interface ApprovalRequest extends Omit<Approval, Later> {
  readonly ttlMs: number
  /** The approval that no longer fits, which this one replaces. */
  readonly replaces: string | undefined
  /** The packet that waited when the call was judged. Where it was decided and used in between, no new question is opened. */
  readonly waiting: string | undefined
}

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'superseded' | 'used'

export function votesOf({ requirement, decisions, question, barred }: Approval): ReturnType<typeof countVotes> {
  return countVotes(requirement, decisions, question.requester.user, barred)
}

export function packetOf({ question, expiresAt, requirement, decisions }: Approval): Packet {
  return { ...question, expiresAt, approvers: { requirement, decisions } }
}

/**
 * What a decision is about. Trace, call and expiry may differ when the same operation is asked for again; the requirement and the decisions
 * have hashes of their own; the states count by their version.
 */
export function packetHash(question: Question, ground: PacketGround): string {
  const { actionName, consequence, fingerprint, riskClass, compensation, rejectionPath, requester } = question
  return hashJson({
    domain: 'proviso/packet/1',
    ...ground,
    action: { ...actionName },
    consequence,
    arguments: question.arguments.map((row) => ({ ...row })),
    fingerprint,
    class: riskClass.class,
    compensation,
    rejectionPath,
    tenant: question.tenant,
    requester: [requester.user ?? null, requester.agent ?? null],
    run: question.run ?? null,
  })
}

/** Whether an approval stands for exactly what its packet shows, by this hash. Each part of the row is checked, because any may have been edited. */
export function isIntact(
  { question, ground, subject, content, packetHash: kept }: Approval,
  displayed: string,
): boolean {
  if (displayed !== kept || displayed !== packetHash(question, ground)) return false
  if (subject.payloadHash !== ground.payloadHash) return false
  return content === undefined || hashJson(content) === ground.payloadHash
}

/** What had to be satisfied, and on whose word. `policies` name the deciding rules with their versions, in any order. */
export function requirementHash({ pattern, demands }: Requirement, policies: readonly string[]): string {
  const asked = demands.map(({ decides, roles, quorum }): JsonValue => [decides, quorum, [...new Set(roles)].sort()])
  const ordered = asked.map((demand) => JSON.stringify(demand)).sort()
  return hashJson({
    domain: 'proviso/requirement/1',
    pattern,
    demands: ordered,
    policies: [...new Set(policies)].sort(),
  })
}

export type EscalationKind =
  | 'unknown_effect'
  | 'unverifiable'
  | 'verification_failed'
  | 'normalization_failed'
  | 'duplicate_side_effect'
  | 'suspicious_denial'
  | 'repair_exhausted'
  | 'record_contradicted'
  | 'compensation_failed'
  | 'saga_stalled'

/** What sagas ask about; answered when the saga goes on. */
export const sagaQuestions = ['compensation_failed', 'saga_stalled'] as const satisfies readonly EscalationKind[]

/** An open question to a person. It stays open until a person answers it, or the attempt comes to its end after all. */
export interface Escalation {
  readonly id: string
  readonly tenant: string
  readonly callId: string
  readonly kind: EscalationKind
  readonly message: string
  readonly at: EpochMs
}
