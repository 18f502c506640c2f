// Finds deferred tools: by name, or by words that occur in name, hint or description.
import type { Tool } from '../contract/tool/tool.ts'
import { nearestNames } from '../json/nearest.ts'

export function findDeferred(words: string, tools: Iterable<Tool>): readonly string[] {
  const deferred = [...tools].filter((tool) => tool.binding.deferred)
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1)
  const hits = deferred.filter(({ contract, binding }) => {
    const text =
      `${contract.identity.name} ${binding.searchHint ?? ''} ${contract.affordance.model_description}`.toLowerCase()
    return wanted.length > 0 && wanted.every((word) => text.includes(word))
  })
  const names = hits.map((tool) => tool.contract.identity.name)
  return names.length > 0
    ? names
    : nearestNames(
        words,
        deferred.map((tool) => tool.contract.identity.name),
        1,
      )
}
