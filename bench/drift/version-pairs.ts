// Successive versions of the same name among the files of a folder: `name-v52.json` before `name-v64.json`.

interface Versioned {
  readonly file: string
  readonly name: string
  readonly numbers: readonly number[]
}

export function versionPairs(files: readonly string[]): readonly (readonly [string, string])[] {
  const versioned = files.flatMap((file): readonly Versioned[] => {
    const [, name, version] = /^(.+?)-v?([0-9][^-]*(?:-[^-]*)?)\.json$/i.exec(file) ?? []
    if (name === undefined || version === undefined) return []
    return [{ file, name, numbers: (version.match(/[0-9]+/g) ?? []).map(Number) }]
  })
  return [...Map.groupBy(versioned, ({ name }) => name).values()].flatMap((group) => {
    const sorted = group.toSorted((one, other) => compare(one.numbers, other.numbers))
    return sorted.slice(1).map(({ file }, index) => [(sorted[index] as Versioned).file, file] as const)
  })
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
