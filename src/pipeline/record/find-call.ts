// Finds a call again that was proposed before, and what is needed to run or replay it without its agent.
import type { Principal, Proposal } from '../../contract/call/call.ts'
import type { OpenedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Surface, SurfaceEntry } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { isObject } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { LookedUp } from '../../ledger/ports/operations.ts'
import { classVoices } from '../../policy/demands.ts'
import { entryFor, maySee } from '../../surface/build-surface.ts'
import type { CallContext } from '../call/call-context.ts'
import { dialectContext, withDialect } from '../call/inputs.ts'
import type { OpenCallInput } from '../call/open-call.ts'
import { readsLabels, seemsUnlabelled } from '../call/run-labels.ts'
import { slotOf } from '../call/same-operation.ts'
import type { Deps } from '../deps.ts'

/** What is known of a call from before, as its opening takes it over. */
type Known = Partial<OpenedCall>

const nothingKnown: Known = Object.freeze({})

/** What is known of the call where it was proposed before: same id, next pass. */
export function lookUp(
  call: OpenedCall,
  input: Pick<OpenCallInput, 'byHash' | 'deps'>,
  isOnRecord: boolean,
): Known | Promise<Known> {
  const { reading, proposal, surface, inputHash, tenant, run } = call
  const tool = loadedTool(surface, proposal.tool, call.principal)
  if (tool === undefined || !reading.ok) return nothingKnown
  // One that is known to be on record may be of a version that was findable, though the current one is not.
  if (!isOnRecord && !isFindable(tool)) return nothingKnown
  const { callId: providerCallId } = proposal
  const slot = slotAhead(call, tool, input.deps)
  const found = input.deps.ledger.operations.lookUp({
    key: { tenant, run, providerCallId, tool: tool.contract.identity.name, inputHash },
    slot: slot === undefined ? undefined : { key: slot, providerCallId },
    ...(readsLabels(call, tool, input.deps) ? { labels: true } : {}),
  })
  const take = (seen: LookedUp): Known => {
    const { labels } = seen
    if (labels !== undefined && run !== undefined) input.deps.runLabels.add(tenant, run, labels)
    const lookedUp = seen.slot === undefined || slot === undefined ? undefined : { key: slot, ...seen.slot }
    const record = seen.call
    const earlier = record === undefined || isOver(record) ? nothingKnown : earlierPasses(call, record, tool, input)
    return { runLabels: labels, lookedUp, ...earlier }
  }
  return found instanceof Promise ? found.then(take) : take(found)
}

type Guess = Pick<OpenedCall, 'lookedUp'> & { readonly unseen: true }

/**
 * What a call is taken for that seems new, where the ledger would have to be asked over a network: its admission finds out. Only where no
 * code of the host runs and no person is asked before that, so that a guess that turns out wrong has left no trace.
 */
export function takenForNew(call: OpenedCall, deps: Deps): Guess | undefined {
  const { ledger, hooks, policies, cedar, permissions, clock } = deps
  const tool = loadedTool(call.surface, call.proposal.tool, call.principal)
  if (ledger.durability === 'ephemeral' || tool === undefined || permissions.speaks) return undefined
  if (policies.length > 0 || cedar.length > 0 || !seemsUnlabelled(call, tool, deps)) return undefined
  if (tool.binding.state !== undefined || classVoices(tool).length > 0) return undefined
  const key = slotAhead(call, tool, { hooks })
  return key === undefined ? undefined : { unseen: true, lookedUp: { key, record: undefined, at: clock.now() } }
}

/** The slot's key, where it can be told already and no code of the host can make the call wait before the slot is judged. */
function slotAhead(call: OpenedCall, tool: Tool, { hooks }: Pick<Deps, 'hooks'>): string | undefined {
  const { preflight, inputCheck } = tool.binding
  if (hooks.length > 0 || preflight !== undefined || inputCheck !== undefined) return undefined
  if (!call.reading.ok || !isObject(call.reading.value)) return undefined
  const input = call.undone ?? call.reading.value
  const ref = slotOf(call, tool, input, input)
  // Without a provider's id, a call that is its own operation is named by its id, which is not final yet.
  return ref?.kind === 'call' && ref.providerCallId === undefined ? undefined : ref?.key
}

/** A read that no person is asked about is over once it is answered; everything else may be proposed again. */
export function isFindable(tool: Tool): boolean {
  return effectRow(tool.contract.transactional.side_effect_class).mutates || classVoices(tool).length > 0
}

/** Without a provider's id nothing tells a repeated call from a new one: only one that still waits is taken up again. */
function isOver({ key, status, effect }: CallRecord): boolean {
  return key.providerCallId === undefined && status !== 'CONFIRMATION_MISSING' && effect !== 'unknown'
}

/** The same call again: same id, next pass, what hooks said before, and the contract it was first judged by. */
function earlierPasses(
  call: OpenedCall,
  record: CallRecord,
  tool: Tool,
  { byHash, deps: { narrowing } }: Pick<OpenCallInput, 'byHash' | 'deps'>,
): Known {
  const again: Known = {
    id: record.id,
    pass: record.passes + 1,
    mutations: withDialect(record.mutations, call.mutations),
    keptCallInput: record.callInput,
    verifiedBefore: record.verification,
    // What refuses this pass before the slot is read must not say less than what is known.
    ...(record.effect === 'happened' || record.effect === 'unknown' ? { effect: record.effect } : {}),
    ...(record.hookOutputs === undefined
      ? {}
      : { hookOutputs: record.hookOutputs, permissionInput: record.permissionInput }),
  }
  const pinned = record.contractHash === tool.contractHash ? undefined : byHash.get(record.contractHash)
  if (pinned === undefined || record.status !== 'CONFIRMATION_MISSING') return again
  // A tool that lives as long as this process is run as it was when people were shown it, with its own code. Others, made per request,
  // are judged anew: the approval was for another contract, so a new one is asked for.
  const entries = new Map(call.surface.entries)
  entries.set(pinned.contract.identity.name, pinnedEntry(narrowing.tool(call.tenant, pinned), call.principal))
  return { ...again, surface: { ...call.surface, entries } }
}

/** Another version may be for other roles; whether it has come to its end since, resolve judges. */
const pinnedEntry = (tool: Tool, principal: Principal): SurfaceEntry =>
  maySee(tool, principal)
    ? { status: 'loaded', tool, deprecated: undefined, route: { reason: 'pinned' } }
    : { status: 'excluded', tool, reason: 'role_not_allowed', note: 'None of the roles of this principal may see it.' }

export function loadedTool(surface: Surface, name: string, principal: Pick<Principal, 'roles'>): Tool | undefined {
  const entry = entryFor(surface, name, principal)
  return entry?.status === 'loaded' ? entry.tool : undefined
}

/** The proposal and context of a recorded call, to run it again without its agent. */
export function resumedContext(record: CallRecord): { proposal: Proposal; context: CallContext } {
  const { key, principal } = record
  return {
    proposal: {
      tool: key.tool,
      arguments: record.argumentText,
      ...(key.providerCallId === undefined ? {} : { callId: key.providerCallId }),
    },
    context: {
      ...(record.tenantNamed ? { tenant: key.tenant } : {}),
      roles: principal.roles,
      scopes: principal.scopes,
      trace: record.traceId,
      ...(principal.user === undefined ? {} : { user: principal.user }),
      ...(principal.agent === undefined ? {} : { agent: principal.agent }),
      ...(key.run === undefined ? {} : { run: key.run }),
      ...(record.workflow === undefined ? {} : { workflow: record.workflow }),
      ...(record.operationId === undefined ? {} : { operationId: record.operationId }),
      ...dialectContext(record.mutations),
    },
  }
}
