// Arguments for a reader: in full the first time, afterwards only what differs from the last call of the same tool.
import type { StepReport } from './report.ts'

/** More differences than this, and the arguments are easier to read in full. */
const maxDifferences = 3

export function argumentText(report: StepReport, earlier: readonly StepReport[]): string {
  const last = earlier.findLast((other) => other.tool === report.tool)
  if (last === undefined) return report.arguments
  const changes = changesBetween(last.arguments, report.arguments)
  if (changes.length > maxDifferences) return report.arguments
  const but = changes.length === 0 ? '' : `, but ${changes.join(', ')}`
  return `the arguments of step ${last.number}${but}`
}

function changesBetween(before: string, after: string): readonly string[] {
  const old = new Map(leaves('', JSON.parse(before)))
  const now = new Map(leaves('', JSON.parse(after)))
  const paths = [...new Set([...old.keys(), ...now.keys()])]
  return paths
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => `${path} ${old.get(path) ?? 'absent'} → ${now.get(path) ?? 'absent'}`)
}

function leaves(path: string, value: unknown): readonly (readonly [path: string, text: string])[] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]]
  if (Array.isArray(value)) return value.flatMap((item, index) => leaves(`${path}[${index}]`, item))
  return Object.entries(value).flatMap(([key, item]) => leaves(path === '' ? key : `${path}.${key}`, item))
}
