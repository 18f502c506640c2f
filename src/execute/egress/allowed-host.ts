// From the name of a host to the addresses that may be connected to: resolved once, every address judged, and only these addresses are
// dialled. One address that is not allowed refuses the whole name: a name that mixes both kinds of addresses is suspect.

import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { ToolError } from '../../contract/fault.ts'
import { domainOf, isListed } from '../../contract/tool/domain.ts'
import type { Egress } from '../../contract/tool/executor.ts'
import { type AddressKind, kindOfAddress } from './address.ts'

/** How names become addresses: the system's resolver, unless a host has its own. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>

export const systemResolve: ResolveName = (name) => dns.lookup(name, { all: true, order: 'verbatim' })

/** What a host brings along for its connections; by default what the system and Node have. */
export interface Network {
  /** How names become addresses. All that it answers is checked. */
  readonly resolve: ResolveName
  /** Certificates to trust in place of those of Node, in PEM. */
  readonly ca: string | undefined
}

export const systemNetwork: Network = { resolve: systemResolve, ca: undefined }

export interface Target {
  /** As a URL or a binding writes it; IPv6 in brackets. */
  readonly host: string
  readonly port: number
  readonly encrypted: boolean
  /** Ports of this protocol that need no listing. */
  readonly usualPorts: readonly number[]
}

export interface FoundRoute {
  readonly kind: 'route'
  readonly name: string
  readonly addresses: readonly LookupAddress[]
}

export type HostRoute =
  | FoundRoute
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unresolved'; readonly message: string }

export async function findRoute(target: Target, egress: Egress, resolve: ResolveName): Promise<HostRoute> {
  const name = domainOf(target.host)
  if (name === undefined) return refused('The host is no name and no address.')
  const { policy, domains, connections } = egress
  if (policy === 'none') return refused('The contract allows no connections (egress_policy none).')
  if ((policy === 'allowlisted_domains' || domains.length > 0) && !isListed(name, domains))
    return refused(`${name} is not among the domains that this tool may reach.`)
  if (!target.usualPorts.includes(target.port) && !connections.ports.includes(target.port))
    return refused(`Port ${target.port} is not among the ports that this tool may use.`)
  const addresses = await addressesOf(name, resolve)
  if (addresses.length === 0) return { kind: 'unresolved', message: `${name} has no address.` }
  for (const { address } of addresses) {
    const objection = objectionTo(kindOfAddress(address), target, egress)
    // The address is not named: the model that chose the name does not learn it.
    if (objection !== undefined) return refused(`${name} leads to ${objection}.`)
  }
  return { kind: 'route', name, addresses }
}

/** The same for a tool: where there is no route, its error, with nothing sent. */
export async function routeOrError(target: Target, egress: Egress, resolve: ResolveName): Promise<FoundRoute> {
  const route = await findRoute(target, egress, resolve)
  if (route.kind === 'route') return route
  const isRefused = route.kind === 'refused'
  throw new ToolError(isRefused ? 'egress_refused' : 'host_not_found', route.message, {
    effect: 'none',
    class: isRefused ? 'POLICY_VIOLATION' : 'DEPENDENCY_UNAVAILABLE',
  })
}

async function addressesOf(name: string, resolve: ResolveName): Promise<readonly LookupAddress[]> {
  const family = isIP(name)
  if (family !== 0) return [{ address: name, family }]
  try {
    return await resolve(name)
  } catch {
    return []
  }
}

function objectionTo(kind: AddressKind, target: Target, { policy, connections }: Egress): string | undefined {
  switch (kind) {
    case 'forbidden':
      return 'an address that nothing may connect to'
    case 'loopback':
      return connections.loopback ? undefined : 'this machine, which its binding does not allow'
    case 'private':
      return policy === 'private_network_only' ? undefined : 'a private address, which its egress policy does not allow'
    case 'public':
      if (policy === 'private_network_only') return 'a public address, and the policy is private_network_only'
      return target.encrypted || connections.plain ? undefined : 'a public address, and the connection is unencrypted'
  }
}

const refused = (message: string): HostRoute => ({ kind: 'refused', message })

/** The only answer to "where is this host": the addresses that were checked. No resolver is asked a second time. */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}
