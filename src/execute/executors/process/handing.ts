// What a program inherits of us besides its environment. Open descriptors: Node opens all of its own so that they close when a program starts;
// those that our own parent left open, or native code has opened, do not, and an open folder leads out of every sandbox. And the keyring of
// our session, which all that we start would share. Node can change neither for a new process, so a few lines of Perl do, before the program.
import { readdirSync, readFileSync } from 'node:fs'
import { arch } from 'node:process'
import { systemProgram } from './program.ts'

const closesOnExec = 0o2_000_000

/** Those above `last` that a program started now would inherit. */
function inheritedAbove(last: number): readonly number[] {
  return descriptors()
    .map(Number)
    .filter((descriptor) => descriptor > last && staysOpen(descriptor))
}

/** None where there is no /proc: then there are no programs of tools either, but servers of MCP. */
function descriptors(): readonly string[] {
  try {
    return readdirSync('/proc/self/fd')
  } catch {
    return []
  }
}

function staysOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? ''
    return (Number.parseInt(flags, 8) & closesOnExec) === 0
  } catch {
    // The one that the list itself was read from.
    return false
  }
}

/** keyctl, by which a process takes a keyring of its own; 0 where its number is not known. */
const keyctl = new Map([
  ['x64', 250],
  ['arm64', 219],
]).get(arch)

/** Waits at the gate, closes all above its first argument, takes a new keyring, and becomes the program. No file is read, and the environment stays as it is. */
const closeAndBecome = [
  'my ($last, $keyctl, $gate) = (shift, shift, shift);',
  'if ($gate) { open(my $wait, "<&=", $gate) or exit 125; sysread($wait, my $word, 1) or exit 125 }',
  'opendir(my $list, "/proc/self/fd") or exit 125;',
  'my @open = grep { /^[0-9]+$/ && $_ > $last } readdir($list);',
  'closedir($list);',
  'for (@open) { if (open(my $one, "<&=", $_)) { close($one) } }',
  'syscall($keyctl + 0, 1, 0) if $keyctl;',
  'exec { $ARGV[0] } @ARGV or exit 126;',
].join(' ')

export type Handing =
  | { readonly ok: true; readonly file: string; readonly argv: readonly string[] }
  | { readonly ok: false; readonly message: string }

export interface HandingInput {
  readonly file: string
  readonly argv: readonly string[]
  /** The last descriptor that is meant for it. */
  readonly last: number
  /** A sandbox refuses all keys: then a keyring of its own changes nothing. */
  readonly ownKeys: boolean
  /** A descriptor on which it waits for one byte before it becomes the program. Perl waits. */
  readonly gate?: number | undefined
}

/** The same command, so that it inherits nothing that is not meant for it. Asked right before it is started. */
export function handing({ file, argv, last, ownKeys, gate }: HandingInput): Handing {
  const inherited = inheritedAbove(last)
  const perl = inherited.length > 0 || ownKeys || gate !== undefined ? systemProgram('perl') : undefined
  if (perl !== undefined) {
    const options = [String(last), String(ownKeys ? (keyctl ?? 0) : 0), String(gate ?? 0)]
    return { ok: true, file: perl, argv: ['-e', closeAndBecome, ...options, file, ...argv] }
  }
  if (inherited.length === 0 && gate === undefined) return { ok: true, file, argv }
  const message = `This process was started with open descriptors that a program would inherit (${inherited.join(', ')}), and there is no Perl to close them: start it without them.`
  return { ok: false, message }
}
