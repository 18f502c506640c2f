// What an IP address leads to, by one table of ranges. IPv6 is allowed by name only: an address that is neither global unicast nor unique
// local (mapped, compatible, NAT64, site-local, multicast …) is forbidden without being taken apart.
import { BlockList, isIP } from 'node:net'

export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden'

interface Range {
  readonly kind: Exclude<AddressKind, 'public'>
  readonly prefix: string
  readonly what: string
}

/** The first range that holds an address decides. */
export const ranges: readonly Range[] = [
  { kind: 'forbidden', prefix: '169.254.0.0/16', what: 'link-local, with the metadata service of clouds' },
  { kind: 'forbidden', prefix: '168.63.129.16/32', what: 'the host agent of Azure' },
  { kind: 'forbidden', prefix: 'fd00:ec2::/32', what: 'metadata and time services of AWS' },
  { kind: 'forbidden', prefix: 'fd20:ce::/32', what: 'the metadata service of Google Cloud' },
  { kind: 'forbidden', prefix: '0.0.0.0/8', what: 'this network, and the unspecified address' },
  { kind: 'forbidden', prefix: '100.64.0.0/10', what: 'carrier-grade NAT' },
  { kind: 'forbidden', prefix: '192.0.0.0/24', what: 'protocol assignments' },
  { kind: 'forbidden', prefix: '192.0.2.0/24', what: 'documentation' },
  { kind: 'forbidden', prefix: '192.88.99.0/24', what: 'relays of 6to4' },
  { kind: 'forbidden', prefix: '198.18.0.0/15', what: 'benchmarks' },
  { kind: 'forbidden', prefix: '198.51.100.0/24', what: 'documentation' },
  { kind: 'forbidden', prefix: '203.0.113.0/24', what: 'documentation' },
  { kind: 'forbidden', prefix: '224.0.0.0/4', what: 'multicast' },
  { kind: 'forbidden', prefix: '240.0.0.0/4', what: 'reserved, and the broadcast address' },
  { kind: 'loopback', prefix: '127.0.0.0/8', what: 'this machine' },
  { kind: 'private', prefix: '10.0.0.0/8', what: 'private (RFC 1918)' },
  { kind: 'private', prefix: '172.16.0.0/12', what: 'private (RFC 1918)' },
  { kind: 'private', prefix: '192.168.0.0/16', what: 'private (RFC 1918)' },
  { kind: 'loopback', prefix: '::1/128', what: 'this machine' },
  { kind: 'private', prefix: 'fc00::/7', what: 'unique local (RFC 4193)' },
  { kind: 'forbidden', prefix: '2001::/23', what: 'protocol assignments, with Teredo' },
  { kind: 'forbidden', prefix: '2001:db8::/32', what: 'documentation' },
  { kind: 'forbidden', prefix: '2002::/16', what: '6to4, which embeds an IPv4 address' },
  { kind: 'forbidden', prefix: '3fff::/20', what: 'documentation' },
]

const lists = ranges.map(({ kind, prefix }) => ({ kind, ...blockListOf(prefix) }))
const globalUnicast = blockListOf('2000::/3').list

export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address)
  // A zone names an interface of this machine; nothing outside has one.
  if (family === 0 || address.includes('%')) return 'forbidden'
  const version = family === 4 ? 'ipv4' : 'ipv6'
  // A mapped address would also be found in the ranges of IPv4; here it is an IPv6 address, and not a global one.
  const found = lists.find((entry) => entry.version === version && entry.list.check(address, version))
  if (found !== undefined) return found.kind
  return version === 'ipv4' || globalUnicast.check(address, 'ipv6') ? 'public' : 'forbidden'
}

function blockListOf(prefix: string): { readonly version: 'ipv4' | 'ipv6'; readonly list: BlockList } {
  const [network = '', bits] = prefix.split('/')
  const version = network.includes(':') ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(network, Number(bits), version)
  return { version, list }
}
