// The example of the guide on credentials: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('keeps the key of a tool out of whatever the tool says, and gives it to no other tenant [secrets-are-scrubbed]', () => {
  const lines = execFileSync(process.execPath, ['examples/credentials/credentials.ts'], { encoding: 'utf8' })
  expect(lines.trimEnd().split('\n')).toEqual([
    'asking with [secret:key]',
    '{"account":"a-1","euros":12,"debug":{"url":"https://api.example.com/?key=[secret:key]"}}',
    'result_scrubbed: a secret was taken out of what the tool returned',
    'asking with [secret:key]',
    expect.stringMatching(/^Refused for Basic ZGVza[A-Za-z0-9]?\[secret:key\]=?$/),
    'DEPENDENCY_UNAVAILABLE credential_missing none',
  ])
})
