// The page on access: each public method, and what of it is shared with one of another tenant, user, agent or role, with the reason.
import { methods, reasons } from '../bench/access/methods.ts'
import { dimensions } from '../bench/access/world.ts'
import { code, markdownTable } from './markdown-table.ts'

export function accessTables(): string {
  const rows = Object.entries(methods).map(([method, { shared, sharedOf = {} }]) => [
    code(method),
    ...dimensions.map((dimension) => {
      const of = Object.entries(sharedOf).flatMap(([object, one]) =>
        one[dimension] === undefined ? [] : [`${object}: ${one[dimension]}`],
      )
      return [shared[dimension], ...of].filter((reason) => reason !== undefined).join('<br>') || 'refused'
    }),
  ])
  const why = Object.entries(reasons).map(([reason, words]) => [reason, words])
  const matrix = markdownTable(['method', ...dimensions.map((dimension) => `another ${dimension}`)], rows)
  return `${matrix}\n\n${markdownTable(['shared because', 'what that means'], why)}`
}
