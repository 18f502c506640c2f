import { expect, test } from 'vitest'
import type { DriftFinding, VersionStep } from '../finding.ts'
import { checkVersion } from './version-step.ts'

const finding = (step: VersionStep): DriftFinding => ({
  rule: 'planted',
  level: 'info',
  direction: 'prose',
  tool: 'a',
  pointer: '',
  message: '',
  why: '',
  step,
})

test.each<[VersionStep, string | undefined, string | undefined, boolean, string | undefined]>([
  ['major', '1.2.3', '2.0.0', true, '2.0.0'],
  ['major', '1.2.3', '1.3.0', false, '2.0.0'],
  ['minor', '1.2.3', '1.3.0', true, '1.3.0'],
  ['minor', '1.2.3', '1.2.4', false, '1.3.0'],
  ['patch', '1.2.3', '1.2.4', true, '1.2.4'],
  ['patch', '1.2.3', '1.2.3', false, '1.2.4'],
  ['patch', '1.2.3', '3.0.0', true, '1.2.4'],
  ['none', '1.2.3', '1.2.3', true, '1.2.3'],
  ['none', '1.2.3', '1.2.2', false, '1.2.3'],
  ['major', '0.4.0', '0.5.0', true, '0.5.0'],
  ['major', '0.4.0', '0.4.1', false, '0.5.0'],
  ['minor', '0.4.0', '0.4.1', true, '0.4.1'],
  ['major', '2.0.0-rc.1', '2.0.0', true, '2.0.0'],
  ['major', '1.0.0', '2.0.0-rc.1', true, '2.0.0'],
  ['major', 'v52', 'v64', true, '53.0.0'],
  ['minor', '2.4', '2.8', true, '2.5.0'],
  ['major', '1.3.2.Final', '2.4.x', true, '2.0.0'],
  ['major', undefined, undefined, false, undefined],
  ['minor', undefined, undefined, true, undefined],
  ['major', 'first', 'second', false, undefined],
])('a change that needs %s from %s to %s: fits %s, at least %s', (step, from, to, fits, suggested) => {
  expect(checkVersion([finding('none'), finding(step)], from, to)).toMatchObject({ fits, suggested })
})
