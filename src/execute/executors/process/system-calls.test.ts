// The filter, walked as the kernel walks it, for every number of a call on each machine.
import { describe, expect, it } from 'vitest'
import { systemCallFilter } from './system-calls.ts'

const allowed = 0x7fff_0000
const refused = 0x0005_0001
const notThere = 0x0005_0026
const ended = 0x8000_0000

/** What classic BPF gives back for one system call. */
function verdict(filter: Buffer, audit: number, number: number): number {
  let held = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const bytes = filter.subarray(at * 8, at * 8 + 8)
    const [code, ifSo, ifNot, value] = [bytes.readUInt16LE(0), bytes[2] ?? 0, bytes[3] ?? 0, bytes.readUInt32LE(4)]
    if (code === 0x20) held = value === 4 ? audit : number
    else if (code === 0x15) at += held === value ? ifSo : ifNot
    else if (code === 0x35) at += held >= value ? ifSo : ifNot
    else if (code === 0x06) return value
    else throw new Error(`There is no such instruction: ${code}.`)
  }
  throw new Error('The filter has no end.')
}

// By the tables of the kernel: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h.
const machines = {
  x64: {
    audit: 0xc000_003e,
    always: { add_key: 248, request_key: 249, keyctl: 250, bpf: 321, io_uring_setup: 425 },
    shared: { shmget: 29, semget: 64, msgget: 68, memfd_create: 319, memfd_secret: 447 },
  },
  arm64: {
    audit: 0xc000_00b7,
    always: { add_key: 217, request_key: 218, keyctl: 219, bpf: 280, io_uring_setup: 425 },
    shared: { msgget: 186, semget: 190, shmget: 194, memfd_create: 279, memfd_secret: 447 },
  },
} as const

describe.each(Object.entries(machines))('the filter of system calls on %s', (machine, { audit, always, shared }) => {
  it.each([true, false])('refuses what it lists and nothing else, where shared memory is declared: %s', (declared) => {
    const filter = systemCallFilter(declared, machine) ?? Buffer.alloc(0)
    const listed: number[] = [...Object.values(always), ...(declared ? [] : Object.values(shared))]
    const found = Array.from({ length: 1_024 }, (_, number) => number).filter(
      (number) => verdict(filter, audit, number) !== allowed,
    )
    expect(found).toEqual(listed.sort((a, b) => a - b))
    for (const number of listed) expect(verdict(filter, audit, number)).toBe(refused)
  })

  it('ends a program that makes a call of another ABI', () => {
    const filter = systemCallFilter(true, machine) ?? Buffer.alloc(0)
    for (const other of [0x4000_0003, 0x4000_0028, 0xc000_003e, 0xc000_00b7].filter((one) => one !== audit))
      expect(verdict(filter, other, 1)).toBe(ended)
  })
})

it('gives no call of x32 to the kernel', () => {
  const filter = systemCallFilter(true, 'x64') ?? Buffer.alloc(0)
  for (const number of [0, 1, 319, 425]) expect(verdict(filter, 0xc000_003e, 0x4000_0000 + number)).toBe(notThere)
})

it('is not there on a machine whose calls are not known', () => {
  expect(systemCallFilter(false, 'riscv64')).toBeUndefined()
})
