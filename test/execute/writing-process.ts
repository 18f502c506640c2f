// A process beside the one of its test, at work on the same files. `append`: adds so many lines, one call for each. `replace`: replaces a
// version again and again, each time the one it has last read. `hold`: is killed while it holds its lock. It prints what was reported done.
import { file } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'

const [job = '', root = '', name = '', count = '0'] = process.argv.slice(2)
const add = file({ root, operation: 'append' })
const read = file({ root, operation: 'read' })
const replace = file({ root, operation: 'write', mode: 'replace', expect: '/sha256' })
const done: string[] = []

process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
if (job === 'hold') {
  const stuck = executionContext({
    idempotencyKey: name,
    // Asked right before the step: it never comes to it, and keeps what it holds.
    mayAct: () => {
      process.stdout.write('held\n')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      return true
    },
  })
  await add.run({ path: 'a.txt', content: 'never\n' }, stuck)
}
for (let number = 0; number < Number(count); number++) {
  const line = `${name}-${number}`
  const context = executionContext({ idempotencyKey: line })
  if (job === 'append') {
    await add.run({ path: 'a.txt', content: `${line}\n` }, context)
    done.push(line)
  } else {
    const { content, sha256 } = (await read.run({ path: 'a.txt' }, context)) as { content: string; sha256: string }
    try {
      await replace.run({ path: 'a.txt', content: `${content}${line}\n`, sha256 }, context)
      done.push(line)
    } catch (error) {
      if ((error as { class?: unknown }).class !== 'STALE_STATE') throw error
    }
  }
}
process.stdout.write(`${JSON.stringify(done)}\n`)
process.exit(0)
