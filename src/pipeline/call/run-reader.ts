// Runs an executor that only reads, as a source of a verification: it is given what it would be given for a tool, and nothing to change
// the ledger with. What it returns stays here: only whether it is as expected goes on.
import type { Admitted } from '../../contract/call/stages.ts'
import { ToolError } from '../../contract/fault.ts'
import type { CredentialBindings } from '../../contract/tool/credential.ts'
import type { Executor } from '../../contract/tool/executor.ts'
import { resolveCredentials } from '../../execute/credentials/resolve-credentials.ts'
import { guardedFetch } from '../../execute/egress/guarded-fetch.ts'
import { egressOf } from '../../execute/egress/tool-egress.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import type { Deps } from '../deps.ts'
import { toolContext } from './tool-context.ts'
import { vettingOf } from './vetting.ts'
import { withTransaction } from './with-transaction.ts'

export interface ReaderInput {
  readonly call: Admitted
  readonly signal: AbortSignal
  readonly deps: Deps
}

const none: ReadonlyMap<string, string> = new Map()

/** Throws a ToolError whose code begins with credential_ where one of them cannot be had. */
export async function secretsFor(
  asked: CredentialBindings | undefined,
  { call, signal, deps }: ReaderInput,
): Promise<ReadonlyMap<string, string>> {
  if (asked === undefined || Object.keys(asked).length === 0) return none
  const { identity, runtime } = call.tool.contract
  const secrets = await resolveCredentials({
    asked,
    asker: { tenant: call.tenant, user: call.principal.user, tool: identity.name, callId: call.id },
    resolvers: deps.credentials,
    timeoutMs: runtime.timeout_ms,
    signal,
    report: deps.report,
  })
  if (secrets.ok) return secrets.values
  throw new ToolError(secrets.code, secrets.message, { effect: 'none' })
}

/** Null where the executor says that there is no such thing. */
export async function runReader(
  executor: Executor,
  target: JsonObject,
  input: ReaderInput & { readonly own: ReadonlyMap<string, string> | undefined },
): Promise<unknown> {
  const { call, signal, deps, own } = input
  const { tool } = call
  const { timeout_ms: timeoutMs } = tool.contract.runtime
  const egress = egressOf(tool)
  const inLedger = executor.commits === 'ledger'
  const reader = inLedger ? withTransaction(executor, { tenant: call.tenant, nonce: undefined }, deps) : executor
  const credentials = own ?? (await secretsFor(tool.binding.credentials, input))
  try {
    const found = await reader.run(target, {
      ...toolContext(call),
      signal,
      // A reading makes no effect that a late one could repeat.
      mayAct: () => !signal.aborted,
      timeoutMs,
      // A reading is no operation: nothing may be taken for the repetition of another.
      idempotencyKey: undefined,
      keyHeader: undefined,
      attempt: 1,
      sql: undefined,
      credentials,
      egress,
      fetch: guardedFetch(egress),
      progress: () => undefined,
      partial: () => undefined,
      ...vettingOf(executor, deps),
    })
    return isNoRow(found) ? null : found
  } catch (error) {
    if (error instanceof ToolError && missing.has(error.code)) return null
    throw error
  }
}

/** By the codes of the executors that read: there is nothing, which is an answer. */
const missing: ReadonlySet<string> = new Set(['http_404', 'http_410', 'not_found'])

const isNoRow = (found: unknown) => isObject(found) && Array.isArray(found.rows) && found.rows.length === 0
