// Writes a Markdown table. Cells are text: a bar inside one is escaped, so that no value can break a row.

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export const code = (text: string | number) => `\`${text}\``

export const yes = (value: boolean) => (value ? 'yes' : '')
