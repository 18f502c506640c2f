// What a condition proves about the places it names: that a member is there, is not null, or has so many items.
// Invariant: a fact holds whenever the condition had the stated outcome; what is not understood proves nothing.
import type { ASTNode } from '@marcbachmann/cel-js'

/** Keys are made by the functions below; a number is the least size, and 1 where it is only a matter of yes. */
export type Facts = ReadonlyMap<string, number>

export const noFacts: Facts = new Map()

export const present = (path: string): string => `present ${path}`
export const notNull = (path: string): string => `value ${path}`
export const sized = (path: string): string => `size ${path}`

/** Finds the identity of a place, where the expression is one. */
export type PathOf = (node: ASTNode) => string | undefined

export function allOf(a: Facts, b: Facts): Facts {
  if (a.size === 0) return b
  if (b.size === 0) return a
  const facts = new Map(a)
  for (const [key, count] of b) facts.set(key, Math.max(count, facts.get(key) ?? 0))
  return facts
}

function inBoth(a: Facts, b: Facts): Facts {
  return new Map(
    [...a].flatMap(([key, count]) => {
      const other = b.get(key)
      return other === undefined ? [] : [[key, Math.min(count, other)] as const]
    }),
  )
}

export function factsWhen(node: ASTNode, outcome: boolean, pathOf: PathOf): Facts {
  switch (node.op) {
    case '!_':
      return factsWhen(node.args, !outcome, pathOf)
    case '&&':
    case '||': {
      const [left, right] = node.args
      const both = [factsWhen(left, outcome, pathOf), factsWhen(right, outcome, pathOf)] as const
      return (node.op === '&&') === outcome ? allOf(...both) : inBoth(...both)
    }
    case '==':
      return outcome ? sizeFacts(node.args, 'least', pathOf) : nullFacts(node.args, pathOf)
    case '!=':
      return outcome ? nullFacts(node.args, pathOf) : sizeFacts(node.args, 'least', pathOf)
    case '>=':
      return outcome ? sizeFacts(node.args, 'least', pathOf) : noFacts
    case '>':
      return outcome ? sizeFacts(node.args, 'above', pathOf) : noFacts
    case '<':
      return outcome ? sizeFacts([node.args[1], node.args[0]], 'above', pathOf) : sizeFacts(node.args, 'least', pathOf)
    case '<=':
      return outcome ? sizeFacts([node.args[1], node.args[0]], 'least', pathOf) : sizeFacts(node.args, 'above', pathOf)
    case '?:':
      return choiceFacts(node.args, outcome, pathOf)
    case 'call':
      return outcome ? hasFacts(node.args, pathOf) : noFacts
    case 'in':
      return outcome ? memberFacts(node.args, pathOf) : noFacts
    default:
      return noFacts
  }
}

/** Either branch may have led to the outcome, except one that is written out as the opposite. */
function choiceFacts(
  [condition, met, unmet]: readonly [ASTNode, ASTNode, ASTNode],
  outcome: boolean,
  pathOf: PathOf,
): Facts {
  const through = (branch: ASTNode, way: boolean) =>
    branch.op === 'value' && branch.args === !outcome
      ? undefined
      : allOf(factsWhen(condition, way, pathOf), factsWhen(branch, outcome, pathOf))
  const [yes, no] = [through(met, true), through(unmet, false)]
  if (yes === undefined || no === undefined) return yes ?? no ?? noFacts
  return inBoth(yes, no)
}

function hasFacts([name, [place, ...more]]: readonly [string, readonly ASTNode[]], pathOf: PathOf): Facts {
  if (name !== 'has' || place === undefined || more.length > 0) return noFacts
  const path = pathOf(place)
  return path === undefined ? noFacts : new Map([[present(path), 1]])
}

function memberFacts([key, map]: readonly [ASTNode, ASTNode], pathOf: PathOf): Facts {
  const path = pathOf(map)
  const token = path === undefined ? undefined : tokenOf(key, pathOf)
  return token === undefined ? noFacts : new Map([[present(`${path}${token}`), 1]])
}

/** How a key continues a path: a literal by itself, a place by its own identity. */
export function tokenOf(key: ASTNode, pathOf: PathOf): string | undefined {
  if (key.op === 'value') return typeof key.args === 'string' ? `.${JSON.stringify(key.args)}` : `[${String(key.args)}]`
  const path = pathOf(key)
  return path === undefined ? undefined : `[${path}]`
}

function nullFacts([left, right]: readonly [ASTNode, ASTNode], pathOf: PathOf): Facts {
  const place = isNull(right) ? left : isNull(left) ? right : undefined
  const path = place === undefined ? undefined : pathOf(place)
  return path === undefined ? noFacts : new Map([[notNull(path), 1]])
}

function isNull(node: ASTNode): boolean {
  return node.op === 'value' && node.args === null
}

/** `size(p) > n`, `p.size() >= n`. */
function sizeFacts([left, right]: readonly [ASTNode, ASTNode], how: 'least' | 'above', pathOf: PathOf): Facts {
  if (right.op !== 'value' || typeof right.args !== 'bigint' || right.args < 0n) return noFacts
  const measured =
    left.op === 'call' && left.args[0] === 'size'
      ? left.args[1][0]
      : left.op === 'rcall' && left.args[0] === 'size' && left.args[2].length === 0
        ? left.args[1]
        : undefined
  const path = measured === undefined ? undefined : pathOf(measured)
  const count = Number(right.args) + (how === 'above' ? 1 : 0)
  return path === undefined ? noFacts : new Map([[sized(path), count]])
}
