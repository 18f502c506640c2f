// A grant's rules by their place in the input: what is said of a field lies below the objects that hold it.
import { tokensOf } from '../../json/pointer.ts'
import type { FieldRule } from './grant.ts'

/** The rules as a tree of objects. */
export type RuleTree = ReadonlyMap<string, FieldRule | RuleTree>

export function isRule(node: FieldRule | RuleTree): node is FieldRule {
  return 'kind' in node
}

/** Reading made sure that no rule lies below another. */
export function ruleTree(fields: ReadonlyMap<string, FieldRule>): RuleTree {
  type Branch = Map<string, FieldRule | RuleTree>
  const root: Branch = new Map()
  const branches = new Map<string, Branch>([['', root]])
  for (const [pointer, rule] of fields) {
    const tokens = tokensOf(pointer)
    let branch = root
    let path = ''
    for (const token of tokens.slice(0, -1)) {
      path = `${path}/${token.length}:${token}`
      const next: Branch = branches.get(path) ?? new Map()
      if (!branches.has(path)) branch.set(token, next)
      branches.set(path, next)
      branch = next
    }
    branch.set(tokens.at(-1) ?? '', rule)
  }
  return root
}
