// The binding of a tool file without its code: enough to judge contradictions, and nothing of the host is loaded.
import type { FileBinding } from '../../contract/binding-schema.ts'
import { type ApprovalPattern, effectRow } from '../../contract/effects.ts'
import type { Contract } from '../../contract/envelope.ts'
import type { Binding } from '../../contract/tool.ts'
import { defaults } from '../../define-tool.ts'

export function standInBinding(file: FileBinding, contract: Contract): Binding {
  const row = effectRow(contract.transactional.side_effect_class)
  return {
    strict: file.strict ?? row.mutates,
    aliases: file.aliases ?? [],
    searchHint: file.search_hint,
    deferred: file.deferred ?? false,
    roles: file.roles,
    sensitive: file.sensitive ?? [],
    operation: file.operation,
    resource: file.resource,
    locks: file.locks ?? [],
    concurrent: file.concurrent ?? !row.mutates,
    approval: {
      pattern: (file.approval?.pattern as ApprovalPattern | undefined) ?? row.pattern,
      quorum: file.approval?.quorum ?? row.quorum,
      ttlMs: (file.approval?.ttl_seconds ?? defaults.approvalTtlMs / 1_000) * 1_000,
    },
    persistence: {
      maxInlineBytes: file.persistence?.max_inline_bytes ?? defaults.maxInlineBytes,
      redact: file.persistence?.redact ?? [],
    },
    consequence: undefined,
    rules: [],
    preflight: undefined,
    state: undefined,
    verifier: undefined,
    inputCheck: undefined,
    outputCheck: undefined,
    executor: { kind: 'fn', isolated: false, run: neverRun },
  }
}

function neverRun(): never {
  throw new TypeError('A tool that is only being checked was run')
}
