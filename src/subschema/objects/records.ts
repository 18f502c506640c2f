// Objects: claims by name, claims on whole classes of names, what must be present, and a number of properties.
import type { Domain, ProverEngine } from '../solver/engine.ts'
import { type Formula, type Literal, type SchemaClaim, singleName } from '../solver/formula.ts'
import type { SearchOutcome } from '../solver/outcome.ts'
import { severalRecords, solveRecord } from './record-search.ts'
import type { NamedClaims, RecordShape, WideClaim } from './record-shape.ts'

const stepsPerWide = 0.01

export function openRecords(engine: ProverEngine): Domain {
  let min = 0
  let max = Number.POSITIVE_INFINITY
  let required = 0
  const names = new Map<string, NamedClaims>()
  const wideAll: WideClaim[] = []
  const wideSome: WideClaim[] = []

  return {
    take,
    refuses,
    solve: (): SearchOutcome => solveRecord(engine, shape()),
    several: (wanted) => severalRecords(engine, shape(), wanted),
  }

  function shape(): RecordShape {
    return { min, max, names, wideAll, wideSome, claimsFor }
  }

  function take(literal: Literal): void {
    if (literal.kind === 'size') {
      min = Math.max(min, literal.min)
      max = Math.min(max, literal.max)
    } else if (literal.kind === 'all' || literal.kind === 'some') {
      const name = singleName(literal.keys)
      if (name === undefined) (literal.kind === 'all' ? wideAll : wideSome).push(literal)
      else {
        const own = names.get(name) ?? { all: [], some: [] }
        names.set(name, own)
        if (literal.kind === 'some' && own.some.length === 0) required++
        own[literal.kind].push(literal.claim)
      }
    }
  }

  function claimsFor(name: string): readonly SchemaClaim[] {
    engine.budget.spend(wideAll.length * stepsPerWide)
    const wide = wideAll.filter(({ keys }) => engine.holdsForText(keys, name)).map(({ claim }) => claim)
    return [...(names.get(name)?.all ?? []), ...wide]
  }

  function claimsIfPresent(name: string): readonly SchemaClaim[] {
    return [...claimsFor(name), ...(names.get(name)?.some ?? [])]
  }

  function isRequired(name: string): boolean {
    return (names.get(name)?.some.length ?? 0) > 0
  }

  function refuses(literal: Literal): boolean {
    switch (literal.kind) {
      case 'size':
        return Math.max(min, literal.min, required) > Math.min(max, literal.max)
      case 'some': {
        const name = singleName(literal.keys)
        if (name === undefined) return refusesSome(literal)
        if (!isRequired(name) && required + 1 > max) return true
        return engine.isPlainlyEmpty([...claimsIfPresent(name), literal.claim])
      }
      case 'all': {
        const name = singleName(literal.keys)
        if (name !== undefined) {
          return isRequired(name) && engine.isPlainlyEmpty([...claimsIfPresent(name), literal.claim])
        }
        if (refusesAll(literal)) return true
        engine.budget.spend(names.size * stepsPerWide)
        for (const [one, { some }] of names) {
          if (some.length === 0 || !engine.holdsForText(literal.keys, one)) continue
          if (engine.isPlainlyEmpty([...claimsIfPresent(one), literal.claim])) return true
        }
        return false
      }
      default:
        return false
    }
  }

  /** A property for the new claim would also have to obey the claims on all such properties. */
  function refusesSome({ keys, claim }: WideClaim): boolean {
    const always = wideAll.filter((other) => covers(other.keys, keys)).map((other) => other.claim)
    return engine.isPlainlyEmpty([claim, ...always])
  }

  /** Different properties may meet several claims on some property, so each claim is compared with the new one alone. */
  function refusesAll({ keys, claim }: WideClaim): boolean {
    return wideSome.some((other) => covers(keys, other.keys) && engine.isPlainlyEmpty([other.claim, claim]))
  }

  function covers(keys: Formula, others: Formula): boolean {
    return keys === others || keys === engine.formulas.yes
  }
}
