// The tools of one registration, by name and version. Invariant: no name or alias leads to two tools, and several versions of one tool have
// an order.
import { Fault } from '../../contract/fault.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { compareSemver, readSemver, type SemanticVersion } from './semver.ts'

export interface Family {
  readonly name: string
  /** From the lowest to the highest. */
  readonly tools: readonly Tool[]
  readonly byVersion: ReadonlyMap<string, Tool>
}

export interface Catalog {
  readonly families: ReadonlyMap<string, Family>
  /** Every version of every tool. */
  readonly tools: readonly Tool[]
  /** Whether any tool has several versions. */
  readonly chooses: boolean
}

/** Throws the Fault that names what cannot stand side by side. */
export function createCatalog(tools: readonly Tool[]): Catalog {
  const grouped = Map.groupBy(tools, (tool) => tool.contract.identity.name)
  const aliases = new Map<string, string>()
  for (const { contract, binding } of tools) {
    const { name } = contract.identity
    for (const alias of binding.aliases) {
      if (grouped.has(alias) || (aliases.get(alias) ?? name) !== name)
        throw refused(`Two tools answer to ${alias}: the name is taken.`)
      aliases.set(alias, name)
    }
    if (new Set(binding.aliases).size !== binding.aliases.length)
      throw refused(`${name} names an alias twice: the name is taken.`)
  }
  const families = new Map([...grouped].map(([name, versions]) => [name, familyOf(name, versions)]))
  return { families, tools, chooses: families.size < tools.length }
}

function familyOf(name: string, tools: readonly Tool[]): Family {
  const byVersion = new Map<string, Tool>()
  for (const tool of tools) {
    const { version } = tool.contract.identity
    if (byVersion.has(version)) throw refused(`Two tools answer to ${name} ${version}: the name is taken.`)
    byVersion.set(version, tool)
  }
  return { name, tools: tools.length === 1 ? tools : inOrder(name, tools), byVersion }
}

function inOrder(name: string, tools: readonly Tool[]): readonly Tool[] {
  const read = tools.map((tool) => ({ tool, version: versionOf(name, tool) }))
  read.sort((a, b) => compareSemver(a.version, b.version))
  for (const [place, { tool, version }] of read.entries()) {
    const next = read[place + 1]
    if (next !== undefined && compareSemver(version, next.version) === 0)
      throw refused(
        `${name} has ${tool.contract.identity.version} and ${next.tool.contract.identity.version}, and neither of the two is the later one.`,
      )
  }
  return read.map(({ tool }) => tool)
}

function versionOf(name: string, tool: Tool): SemanticVersion {
  const { version } = tool.contract.identity
  const read = readSemver(version)
  if (read !== undefined) return read
  throw refused(`${name} has several versions, and ${version} is no semantic version: their order cannot be told.`)
}

export const isPrerelease = ({ contract }: Tool): boolean =>
  (readSemver(contract.identity.version)?.prerelease.length ?? 0) > 0

const refused = (message: string) => new Fault('registration_refused', message)
