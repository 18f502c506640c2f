// Keeps the output blocks of the docs equal to what the examples print. A block says which one above it:
// `<!-- output of examples/quick-start/quick-start.ts -->`.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const block = /<!-- output of (\S+) -->\n```text\n[\s\S]*?```/g

/** The page with every output block replaced by what its example prints now. */
export async function refreshOutput(markdown: string, root: string): Promise<string> {
  const paths = new Set([...markdown.matchAll(block)].map((match) => match[1] ?? ''))
  const printed = new Map(
    await Promise.all([...paths].map(async (path) => [path, await outputOf(path, root)] as const)),
  )
  return markdown.replaceAll(
    block,
    (_, path: string) => `<!-- output of ${path} -->\n\`\`\`text\n${printed.get(path) ?? ''}\`\`\``,
  )
}

async function outputOf(path: string, root: string): Promise<string> {
  const { stdout } = await run(process.execPath, [path], { cwd: root, env: { ...process.env, NO_COLOR: '1' } })
  return stdout
}
