// Breaks a text into lines: at spaces, after a comma of JSON, or where nothing else is left.

export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let rest = text
  while (rest.length > columns) {
    const head = rest.slice(0, columns + 1)
    const seam = Math.max(head.lastIndexOf(' '), head.lastIndexOf(',', columns - 1) + 1)
    const cut = seam > columns / 4 ? seam : columns
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return [...lines, rest]
}
