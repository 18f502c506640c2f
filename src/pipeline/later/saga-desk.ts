// Sagas as a host uses them: registered by their definitions, begun with an input, listed, read and resumed; and the port through which
// their engine makes calls, each through all gates. A saga that waits is taken up by any process that has registered the same definition.
import type { VerifyPerson } from '../../approval/verify-person.ts'
import type { Answer } from '../../contract/call/answer.ts'
import { Fault } from '../../contract/fault.ts'
import {
  type JournalEntry,
  type SagaContext,
  type SagaDefinition,
  type SagaMark,
  type SagaRecord,
  sagaOperation,
  stepCallIds,
} from '../../contract/saga/saga.ts'
import type { FindTool, PreparedSaga } from '../../execute/saga/prepared-saga.ts'
import { createSagaEngine, type SagaEngine } from '../../execute/saga/saga-engine.ts'
import type { SagaPorts, StepCall } from '../../execute/saga/saga-ports.ts'
import { type SagaView, viewSaga } from '../../execute/saga/saga-view.ts'
import { copyParsed } from '../../json/copy.ts'
import { hashFields } from '../../json/hash.ts'
import { uuidv7 } from '../../json/id.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import type { SagaQuery } from '../../ledger/ports/sagas.ts'
import { approvalStatus } from '../../ledger/rules/permit.ts'
import { type CallContext, readContext } from '../call/call-context.ts'
import { sagaSlotKey } from '../call/same-operation.ts'
import type { Deps } from '../deps.ts'
import type { HandleInput } from '../handle.ts'
import type { Principals } from './resume-calls.ts'
import { resumeSaga, type SagaResumed, type SagaResumption } from './resume-saga.ts'

export interface Saga<Input = JsonObject> {
  readonly name: string
  /** By it, processes know that they mean the same saga. */
  readonly hash: string
  /**
   * Begins it and drives it until it is over or waits. With an `operationId` in the context it is begun once, however often it is asked
   * for.
   */
  start(input: Input, context?: CallContext): Promise<SagaView>
}

export interface Sagas {
  list(query?: SagaQuery): Promise<readonly SagaRecord[]>
  get(id: string, tenant?: string): Promise<SagaView | undefined>
  journal(id: string, tenant?: string): Promise<readonly JournalEntry[]>
  /** Lets a saga go on that stands still until a person says so. */
  resume(id: string, resumption: SagaResumption): Promise<SagaResumed>
}

export interface SagaDesk {
  readonly engine: SagaEngine
  readonly sagas: Sagas
  saga<Input extends object = JsonObject>(definition: SagaDefinition<Input>): Saga<Input>
}

export interface SagaDeskInput extends SagaCallsInput {
  readonly deps: Deps
  readonly tenants: ReadonlySet<string> | undefined
  readonly find: FindTool
  readonly verify: VerifyPerson
}

export function createSagaDesk(input: SagaDeskInput): SagaDesk {
  const { deps, tenants, find, verify } = input
  const { ledger, clock, entropy } = deps
  const engine = createSagaEngine(createSagaPorts(input))

  const view = async (id: string, tenant?: string): Promise<SagaView | undefined> => {
    const saga = await ledger.sagas.get(id, tenant)
    return saga === undefined ? undefined : viewSaga(saga, await ledger.sagas.journal(id, saga.tenant))
  }

  const start = async (prepared: PreparedSaga, given: unknown, context: CallContext): Promise<SagaView> => {
    const read = readContext(context)
    if (read.badContext !== undefined) throw new Fault('bad_options', `The context cannot be read: ${read.badContext}`)
    const tenant = read.tenant ?? 'default'
    if (tenant === '' || tenants?.has(tenant) === false)
      throw new Fault('bad_options', 'This tenant is not known here.')
    const copy = copyParsed(given ?? {})
    if (!copy.ok || !isObject(copy.value))
      throw new Fault('bad_options', `The input of a saga is an object${copy.ok ? '' : `: ${copy.refusal.message}`}.`)
    const id =
      read.operationId === undefined
        ? `saga_${uuidv7(clock.now(), entropy)}`
        : `saga_${hashFields('proviso.saga.v1', [tenant, prepared.name, read.operationId]).slice(0, 32)}`
    const isNamed = read.operationId !== undefined
    await engine.begin(prepared, { id, tenant, isNamed, input: copy.value, context: keptContext(read, id) })
    const begun = await view(id, tenant)
    if (begun === undefined) throw new Fault('internal', 'A saga that was begun is not there.')
    return begun
  }

  return {
    engine,
    saga<Input extends object>(definition: SagaDefinition<Input>): Saga<Input> {
      // What the functions of a definition are given was read as JSON; its type is the author's word, as everywhere.
      const prepared = engine.register(definition as unknown as SagaDefinition, find)
      const { name, hash } = prepared
      return { name, hash, start: (given, context = {}) => start(prepared, given, context) }
    },
    sagas: {
      list: async (query = {}) => ledger.sagas.list(query),
      get: view,
      journal: async (id, tenant) => ledger.sagas.journal(id, tenant),
      async resume(id, resumption) {
        const resumed = await resumeSaga({ ledger, verify }, id, resumption)
        const saga = resumed.kind === 'stated' ? undefined : await ledger.sagas.get(id)
        if (saga !== undefined) await engine.resume(saga.tenant, id)
        return resumed
      },
    },
  }
}

/** The part of a context that later processes call with. A saga that is begun outside of any run is a run of its own. */
function keptContext(read: CallContext, id: string): SagaContext {
  const { tenant, user, roles, scopes, agent, workflow, run, parentRun, release, model, promptHash, trace, untrusted } =
    read
  return {
    run: run ?? id,
    ...(tenant === undefined ? {} : { tenant }),
    ...(user === undefined ? {} : { user }),
    ...(roles === undefined ? {} : { roles }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(agent === undefined ? {} : { agent }),
    ...(workflow === undefined ? {} : { workflow }),
    // What the run it was begun from has seen, its calls count as having seen.
    ...(parentRun === undefined ? {} : { parentRun }),
    ...(release === undefined ? {} : { release }),
    ...(model === undefined ? {} : { model }),
    ...(promptHash === undefined ? {} : { promptHash }),
    ...(trace === undefined ? {} : { trace }),
    ...(untrusted === true ? { untrusted } : {}),
  }
}

export interface SagaCallsInput {
  readonly deps: Deps
  readonly principals: Principals | undefined
  /** Runs a proposal with the tools of this process. */
  readonly call: (input: Pick<HandleInput, 'proposal' | 'context' | 'saga'>) => Promise<Answer>
}

function createSagaPorts({ deps, principals, call }: SagaCallsInput): SagaPorts {
  const { ledger, clock, entropy, report } = deps
  return {
    store: ledger.sagas,
    clock,
    entropy,
    report,
    async call(order) {
      const { saga, mark, tool, arguments: args } = order
      const context = await contextFor(order, principals)
      return call({
        proposal: { tool, arguments: args, callId: callIdOf(mark) },
        context: saga.context.tenant === undefined ? context : { ...context, tenant: saga.tenant },
        saga: mark,
      })
    },
    slotKey: sagaSlotKey,
    slot: async (tenant, key) => (await ledger.operations.slot(tenant, key, undefined)).record,
    // As whom it was fetched for: what a step returned belongs to the one who began the saga, also once they may no longer call.
    async result({ tenant, context: { user, run, roles = [], scopes = [] } }, ref) {
      const stored = await deps.stored.get(ref, { tenant, user, run, roles, scopes })
      return stored.ok ? stored.value : undefined
    },
    verification: async (id, tenant) => (await ledger.calls.get(id, tenant))?.verification,
    async isPending(id, tenant) {
      const approval = await ledger.approvals.get(id, tenant)
      return approval !== undefined && approvalStatus(approval, clock.now()) === 'pending'
    },
    later(ms, look) {
      // On a durable ledger a sweep comes by, in this process or another.
      if (ledger.durability === 'ephemeral') setTimeout(look, ms).unref()
    },
  }
}

/** By it, the same step is found again, and its approval as well. */
const callIdOf = (mark: SagaMark) => `${stepCallIds}${sagaOperation(mark)}`

/** Roles and scopes as they are now, where the one who began the saga is not there to bring them; of a user that is gone, none. */
async function contextFor({ saga, mark, resumed }: StepCall, principals: Principals | undefined): Promise<CallContext> {
  const { user, agent } = saga.context
  const context = mark.direction === 'forward' ? plain(saga.context) : unclaimed(saga.context)
  if (!resumed || principals === undefined || user === undefined) return context
  const now = await principals({ tenant: saga.tenant, user, agent })
  return { ...context, roles: now?.roles ?? [], scopes: now?.scopes ?? [] }
}

const plain = ({ tenant: _tenant, ...context }: SagaContext): CallContext => context

/** A release that was rolled back stops the agents that were built from it, and not the undoing of what they did. */
const unclaimed = ({ release: _release, model: _model, promptHash: _hash, ...context }: SagaContext): CallContext =>
  plain(context)
