// The question that a person is asked about one concrete call, with the hashes that prove later what was asked. Sensitive values are
// masked; all the rest is exactly what the executor gets.

import { type PacketGround, packetHash, type Question, requirementHash } from '../contract/approval/approval.ts'
import type { Requirement } from '../contract/approval/approval-pattern.ts'
import type { Ask } from '../contract/call/call.ts'
import type { JudgedCall } from '../contract/call/stages.ts'
import { concreteArguments } from '../contract/tool/declared-defaults.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { ownCopy } from '../json/copy.ts'
import { hashJson } from '../json/hash.ts'
import { maskPointers } from '../json/mask.ts'
import { readPointer } from '../json/pointer.ts'
import type { JsonObject } from '../json/value.ts'
import { plainConsequence, readConsequence, renderConsequence } from './consequence.ts'
import { policiesOf, requirementFor } from './requirement-for.ts'
import { shownText } from './shown-text.ts'

/** A question with all that it stands for. */
export interface AskedQuestion {
  readonly question: Question
  readonly ground: PacketGround
  readonly packetHash: string
  readonly requirement: Requirement
  readonly policies: readonly string[]
  readonly requirementHash: string
}

export interface AskedQuestionInput {
  readonly call: JudgedCall
  readonly tool: Tool
  readonly payloadHash: string
  readonly fingerprint: string
  readonly after: JsonObject | null
  /** The sentence of the tool's own function; undefined where it has none, or where the function gave no text. */
  readonly ownSentence: string | undefined
}

export function askedQuestion(input: AskedQuestionInput): AskedQuestion {
  const { call, tool, payloadHash } = input
  const asks = call.asks ?? []
  const question = questionOf(input, asks)
  const ground: PacketGround = {
    payloadHash,
    contractHash: tool.contractHash,
    executorVersion: tool.binding.executor.version ?? null,
    stateVersion: stateVersion(call, tool),
  }
  return hashedQuestion(question, ground, requirementFor(tool, asks), policiesOf(asks))
}

/** A question with the hashes that prove later what was asked, and who had to agree. */
export const hashedQuestion = (
  question: Question,
  ground: PacketGround,
  requirement: Requirement,
  policies: readonly string[],
): AskedQuestion => ({
  question,
  ground,
  packetHash: packetHash(question, ground),
  requirement,
  policies,
  requirementHash: requirementHash(requirement, policies),
})

function questionOf(
  { call, tool, fingerprint, after, ownSentence }: AskedQuestionInput,
  asks: readonly Ask[],
): Question {
  const { contract, binding } = tool
  const { side_effect_class, compensation_tool } = contract.transactional
  const shown = maskPointers(call.callJson, binding.sensitive)
  const rows = concreteArguments(shown, contract.affordance.input_schema, binding.dialect)
  return {
    actionName: {
      tool: contract.identity.name,
      version: contract.identity.version,
      title: titleOf(contract.identity.name),
    },
    consequence: consequenceOf(),
    arguments: rows.map((row) => ({ ...row, value: ownCopy(row.value) })),
    beforeState: call.state ?? null,
    afterState: after,
    fingerprint,
    riskClass: { class: side_effect_class, why: asks.map(({ source, message }) => ({ source, message })) },
    compensation:
      compensation_tool === null ? 'Nothing undoes this automatically.' : `Can be undone by ${compensation_tool}.`,
    rejectionPath: 'Nothing is done; the agent is told that the call was rejected.',
    trace: call.traceId,
    callId: call.id,
    tenant: call.tenant,
    requester: { user: call.principal.user, agent: call.principal.agent },
    run: call.run,
  }

  function consequenceOf(): string {
    if (typeof binding.consequence === 'string') {
      const reading = readConsequence(binding.consequence)
      if (reading.ok) return renderConsequence(reading.template, shown, rows)
    }
    return ownSentence === undefined
      ? plainConsequence(contract, rows)
      : shownText(ownSentence, Number.POSITIVE_INFINITY)
  }
}

/** A hash of what the tool names as the version of its state, or of the whole state where it names nothing. */
function stateVersion({ state }: JudgedCall, { binding }: Tool): string | null {
  if (state === undefined || state === null) return null
  const match = binding.state?.match ?? []
  return match.length === 0 ? hashJson(state) : hashJson(match.map((pair) => readPointer(state, pair.state) ?? null))
}

/** `charge_customer_card_v2` reads Charge customer card. */
function titleOf(name: string): string {
  const words = name.replace(/_v\d+$/, '').replaceAll(/[_.-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
