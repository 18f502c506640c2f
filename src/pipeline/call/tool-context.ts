// What code of the host is given of a call. It gets copies: it can change them, and the call that was judged is still the call that runs. An
// executor is given more: the ledger's own database, a look at what others publish, and the secrets and reach of a reading.
import type { AdmittedCall, JudgedCall, OpenedCall } from '../../contract/call/stages.ts'
import { Fault, LedgerLost, Quarantined, ToolError } from '../../contract/fault.ts'
import type { CredentialBindings } from '../../contract/tool/credential.ts'
import type {
  ExecutionContext,
  Executor,
  LedgerSql,
  ToolContext,
  VerifierContext,
} from '../../contract/tool/executor.ts'
import { lastLook } from '../../execute/attempt/may-act.ts'
import { resolveCredentials } from '../../execute/credentials/resolve-credentials.ts'
import { guardedFetch } from '../../execute/egress/guarded-fetch.ts'
import { egressOf } from '../../execute/egress/tool-egress.ts'
import { sqlError } from '../../execute/executors/sql/sqlstate.ts'
import { isPromiseLike } from '../../execute/within.ts'
import { ownCopy } from '../../json/copy.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import type { LedgerTransaction } from '../../ledger/ports/operations.ts'
import type { Deps } from '../deps.ts'

export function toolContext(call: OpenedCall): ToolContext {
  return { callId: call.id, tenant: call.tenant, user: call.principal.user, run: call.run, traceId: call.traceId }
}

/** An executor is also told whom a program of the tenant runs as. */
export function executorContext(call: OpenedCall, { programUsers }: Pick<Deps, 'programUsers'>): ToolContext {
  return { ...toolContext(call), programUser: programUsers.get(call.tenant) }
}

/** A verifier is also told the key that the provider was given, to find the effect by. */
export function verifierContext(call: AdmittedCall): Omit<VerifierContext, 'signal' | 'credentials'> {
  return { ...toolContext(call), idempotencyKey: call.idempotencyKey }
}

/** call_input as the tool's own code takes it: it was written for what its schema gives, and the schema has accepted this. */
export function typedInput({ callInput }: Pick<JudgedCall, 'callInput'>): JsonObject {
  return ownCopy(callInput ?? {}) as JsonObject
}

/** Asks a function of the host that has to answer at once. One that throws or promises an answer has none. */
export function askHost<T>(ask: () => T): { readonly ok: true; readonly value: T } | { readonly ok: false } {
  try {
    const value = ask()
    if (!isPromiseLike(value)) return { ok: true, value }
    // It is not waited for; a rejection must not end the process.
    Promise.resolve(value).catch(() => undefined)
    return { ok: false }
  } catch {
    return { ok: false }
  }
}

/** Without a nonce there is no settle, and so no change stays. */
export function withTransaction(
  executor: Executor,
  { nonce, tenant, slotRef, generation }: Pick<AdmittedCall, 'nonce' | 'tenant' | 'slotRef' | 'generation'>,
  { ledger: { operations }, transactions }: Deps,
): Executor {
  return {
    ...executor,
    async run(args, context) {
      if (operations.begin === undefined) throw new Fault('internal', 'The ledger has no transactions.')
      if (nonce !== undefined) await transactions.get(nonce)?.rollback()
      const attempt =
        nonce === undefined || slotRef === undefined ? undefined : { slotKey: slotRef.key, generation, nonce }
      const transaction = await operations.begin(tenant, attempt)
      if (context.signal.aborted) {
        // The pass is over: it will not roll back a transaction that begins now.
        await transaction.rollback()
        throw new ToolError('canceled', 'Given up before it began.', { effect: 'none' })
      }
      if (attempt === undefined || nonce === undefined) {
        try {
          return await executor.run(args, { ...context, sql: sqlOf(transaction, context) })
        } finally {
          await transaction.rollback()
        }
      }
      transactions.set(nonce, transaction)
      const value = await executor.run(args, { ...context, sql: sqlOf(transaction, context) })
      await transaction.check().catch((error: unknown) => {
        throw error instanceof LedgerLost ? error : sqlError(error, 'none')
      })
      // The commit comes with the settle, which is refused where the operation has become another attempt's.
      lastLook(context)
      return value
    },
  }
}

/** Every statement is sent only while the attempt may act. */
function sqlOf(transaction: LedgerTransaction, context: ExecutionContext): LedgerSql {
  const query = async (text: string, values?: readonly unknown[]) => {
    lastLook(context)
    return transaction.query(text, values)
  }
  const exactly: LedgerSql['exactly'] = async (statement) => {
    lastLook(context)
    return transaction.exactly(statement)
  }
  return Object.assign(query, { exactly })
}

type Vetting = Pick<ExecutionContext, 'vet' | 'vetUnseen'>

/** Throws where what is served is not what a person approved, or where that cannot be read. Undefined where no one else publishes it. */
export function vettingOf({ upstream }: Executor, { quarantine, report }: Deps): Vetting | undefined {
  if (upstream === undefined) return undefined
  const unlessHeld = async (finding: Promise<string | undefined>): Promise<void> => {
    let note: string | undefined
    try {
      note = await finding
    } catch (fault) {
      report(fault)
      throw new ToolError('pins_unavailable', 'What was approved of this tool cannot be read now. Nothing was sent.', {
        effect: 'none',
        class: 'DEPENDENCY_UNAVAILABLE',
      })
    }
    if (note !== undefined) throw new Quarantined(note)
  }
  return {
    vet: (served) => unlessHeld(quarantine.vet(upstream, served)),
    vetUnseen: () => unlessHeld(quarantine.vetUnseen(upstream)),
  }
}

export interface ReaderInput {
  readonly call: AdmittedCall
  readonly signal: AbortSignal
  readonly deps: Deps
}

const none: ReadonlyMap<string, string> = new Map()

/** Throws a ToolError whose code begins with credential_ where one of them cannot be had. */
export async function secretsFor(
  bindings: CredentialBindings | undefined,
  { call, signal, deps }: ReaderInput,
): Promise<ReadonlyMap<string, string>> {
  if (bindings === undefined || Object.keys(bindings).length === 0) return none
  const { identity, runtime } = call.tool.contract
  const secrets = await resolveCredentials({
    bindings,
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
  const reader = inLedger ? withTransaction(executor, { ...call, nonce: undefined }, deps) : executor
  const credentials = own ?? (await secretsFor(tool.binding.credentials, input))
  try {
    const found = await reader.run(target, {
      ...executorContext(call, deps),
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
      warn: () => undefined,
      ...vettingOf(executor, deps),
    })
    return isNoRow(found) ? null : found
  } catch (error) {
    if (error instanceof ToolError && missing.has(error.code)) return null
    throw error
  }
}

/** Codes by which executors say that there is nothing to read, which is an answer. */
const missing: ReadonlySet<string> = new Set(['http_404', 'http_410', 'not_found'])

const isNoRow = (found: unknown) => isObject(found) && Array.isArray(found.rows) && found.rows.length === 0
