// A whole binding from what somebody chose: everything else follows from the effect class. defineTool, tool files and the linter all
// fill bindings here, so that a default is the same wherever a tool is written.
import { patterns } from './approval-pattern.ts'
import { type ApprovalPattern, type EffectClass, effectRow } from './effects.ts'
import type { Binding, Executor } from './tool.ts'

type Plain = Omit<Binding, 'executor' | 'approval' | 'persistence' | 'recovery'>

export type BindingChoices = { readonly [Key in keyof Plain]?: Plain[Key] | undefined } & {
  readonly approval?: {
    readonly pattern?: ApprovalPattern | undefined
    readonly quorum?: number | undefined
    readonly roles?: readonly string[] | undefined
    readonly ttlMs?: number | undefined
  }
  readonly persistence?: {
    readonly maxInlineBytes?: number | undefined
    readonly redact?: readonly string[] | undefined
  }
  readonly recovery?: { readonly [Key in keyof Binding['recovery']]?: Binding['recovery'][Key] | undefined }
}

const maxInlineBytes = 256 * 1024
/** Long enough for a request that sits in a proxy's queue. */
const horizonMs = 60_000

export function fillBinding(effect: EffectClass, choices: BindingChoices, executor: Executor): Binding {
  const row = effectRow(effect)
  const { approval, persistence, recovery } = choices
  return {
    dialect: choices.dialect,
    strict: choices.strict ?? row.mutates,
    aliases: choices.aliases ?? [],
    searchHint: choices.searchHint,
    deferred: choices.deferred ?? false,
    roles: choices.roles,
    sensitive: choices.sensitive ?? [],
    operation: choices.operation,
    resource: choices.resource,
    amount: choices.amount,
    locks: choices.locks ?? [],
    concurrent: choices.concurrent ?? !row.mutates,
    approval: {
      pattern: approval?.pattern ?? row.pattern,
      quorum: approval?.quorum ?? row.quorum,
      roles: approval?.roles,
      ttlMs: approval?.ttlMs ?? patterns[approval?.pattern ?? row.pattern].ttlMs,
    },
    consequence: choices.consequence,
    persistence: {
      maxInlineBytes: persistence?.maxInlineBytes ?? maxInlineBytes,
      redact: persistence?.redact ?? [],
    },
    rules: choices.rules ?? [],
    trusted: choices.trusted ?? false,
    residency: choices.residency,
    egressDomains: choices.egressDomains ?? [],
    preflight: choices.preflight,
    state: choices.state,
    verifier: choices.verifier,
    recovery: {
      horizonMs: recovery?.horizonMs ?? horizonMs,
      providerWindowMs: recovery?.providerWindowMs,
      expired: recovery?.expired ?? 'reject',
    },
    inputCheck: choices.inputCheck,
    outputCheck: choices.outputCheck,
    executor,
  }
}
