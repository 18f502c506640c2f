// Decides which patterns the built-in backtracking engine provably runs in linear time.
// Invariant: `true` only if, at every point, the next code point admits at most one way on; then a failed match
// revisits each choice once, and every choice fails on its first code point.
import { type CodePointRanges, overlap } from './code-points.ts'
import type { PatternNode } from './parse-pattern.ts'

/** Bounds the analysis, which compares sets pairwise. */
const maxPositions = 400

/** An unanchored search starts anew at every character: only short matches keep that linear. */
const maxUnanchoredLength = 64

export function isDeterministic(node: PatternNode): boolean {
  const branches = node.kind === 'alternatives' ? node.nodes : [node]
  // Each branch is tried in turn, so k branches cost k linear passes.
  return branches.length <= 32 && branches.every(isDeterministicBranch)
}

function isDeterministicBranch(branch: PatternNode): boolean {
  const nodes = branch.kind === 'concat' ? branch.nodes : [branch]
  const anchored = nodes[0]?.kind === 'start'
  const ended = nodes.length > (anchored ? 1 : 0) && nodes.at(-1)?.kind === 'end'
  const body: PatternNode = { kind: 'concat', nodes: nodes.slice(anchored ? 1 : 0, ended ? -1 : undefined) }
  if (!anchored && longest(body) > maxUnanchoredLength) return false
  return new Positions().analyse(body) !== undefined
}

interface Shape {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

/** Glushkov's construction: positions are sets, edges lead from a position to those that may come next. */
class Positions {
  readonly #sets: CodePointRanges[] = []
  readonly #next: CodePointRanges[][] = []

  analyse(node: PatternNode): Shape | undefined {
    const shape = this.#shape(node)
    return shape !== undefined && this.#disjoint(shape.first) ? shape : undefined
  }

  #shape(node: PatternNode): Shape | undefined {
    switch (node.kind) {
      case 'set': {
        if (this.#sets.length >= maxPositions) return undefined
        const position = this.#sets.push(node.ranges) - 1
        this.#next.push([])
        return { nullable: false, first: [position], last: [position] }
      }
      case 'concat':
        return this.#concat(node.nodes)
      case 'alternatives':
        return this.#alternatives(node.nodes)
      case 'repeat':
        return this.#repeat(node.node, node.min, node.max)
      default:
        return undefined
    }
  }

  #concat(nodes: readonly PatternNode[]): Shape | undefined {
    let all: Shape = { nullable: true, first: [], last: [] }
    for (const node of nodes) {
      const shape = this.#shape(node)
      if (shape === undefined || !this.#connect(all.last, shape.first)) return undefined
      all = {
        nullable: all.nullable && shape.nullable,
        first: all.nullable ? [...all.first, ...shape.first] : all.first,
        last: shape.nullable ? [...all.last, ...shape.last] : shape.last,
      }
      if (!this.#disjoint(all.first)) return undefined
    }
    return all
  }

  #alternatives(nodes: readonly PatternNode[]): Shape | undefined {
    const shapes: Shape[] = []
    for (const node of nodes) {
      const shape = this.#shape(node)
      if (shape === undefined) return undefined
      shapes.push(shape)
    }
    // Two empty branches would be two ways to do nothing, and they multiply along a sequence.
    if (shapes.filter((shape) => shape.nullable).length > 1) return undefined
    const first = shapes.flatMap((shape) => shape.first)
    if (!this.#disjoint(first)) return undefined
    return { nullable: shapes.some((shape) => shape.nullable), first, last: shapes.flatMap((shape) => shape.last) }
  }

  #repeat(body: PatternNode, min: number, max: number): Shape | undefined {
    const shape = this.#shape(body)
    // A repeated part that may be empty can be matched in several ways: any round may be the empty one.
    if (shape === undefined || shape.nullable) return undefined
    if (max === 0) return { nullable: true, first: [], last: [] }
    if (max > 1 && !this.#connect(shape.last, shape.first)) return undefined
    return { ...shape, nullable: min === 0 }
  }

  #connect(from: readonly number[], to: readonly number[]): boolean {
    for (const position of from) {
      const next = this.#next[position] as CodePointRanges[]
      for (const target of to) {
        const set = this.#sets[target] as CodePointRanges
        if (next.some((other) => overlap(other, set))) return false
        next.push(set)
      }
    }
    return true
  }

  #disjoint(positions: readonly number[]): boolean {
    return positions.every((a, index) =>
      positions
        .slice(index + 1)
        .every((b) => !overlap(this.#sets[a] as CodePointRanges, this.#sets[b] as CodePointRanges)),
    )
  }
}

/** The most code points a match can have; Infinity where a repetition has no bound. */
export function longest(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return 1
    case 'concat':
      return node.nodes.reduce((sum, child) => sum + longest(child), 0)
    case 'alternatives':
      return node.nodes.reduce((most, child) => Math.max(most, longest(child)), 0)
    case 'repeat': {
      const body = longest(node.node)
      return body === 0 || node.max === 0 ? 0 : body * node.max
    }
    default:
      return 0
  }
}
