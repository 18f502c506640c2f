// What the hostile program tries, and where it is let: everything else has to come to nothing. The guide says the same (docs/guide/executors.md).

export const ways = ['root_bubblewrap', 'root_none', 'user_bubblewrap', 'user_none'] as const

export type Way = (typeof ways)[number]

/** Without a sandbox, as root or not. */
const unboxed: readonly Way[] = ['root_none', 'user_none']
/** Without a sandbox, as our own user: what we may do, it may do. */
const asUs: readonly Way[] = ['user_none']

/** The ways in which an attack may reach its aim: none of them, unless it says so. */
export const attacks: Readonly<Record<string, { readonly aim: string; readonly lets: readonly Way[] }>> = {
  host_environment: { aim: 'reads our environment', lets: asUs },
  hosts_memory: { aim: 'traces our process', lets: asUs },
  hosts_end: { aim: 'ends our process', lets: asUs },
  files_of_root: { aim: 'reads a file of root', lets: [] },
  other_tenants_environment: { aim: "reads a secret in another tenant's environment", lets: asUs },
  other_tenants_key_file: { aim: "reads a secret in another tenant's file", lets: asUs },
  other_tenants_memory: { aim: "traces another tenant's program", lets: asUs },
  other_tenants_end: { aim: "ends another tenant's program", lets: asUs },
  ledger_read: { aim: "reads the files of the embedded server, other tenants' arguments among them", lets: [] },
  ledger_settings: { aim: 'writes to the settings of the embedded server', lets: [] },
  ledger_end: { aim: 'ends the embedded server', lets: [] },
  ledger_connect: { aim: 'connects to the embedded server', lets: [] },
  scratch_swapped: { aim: 'puts a link in the place of its private folder', lets: asUs },
  program_replaced: { aim: 'replaces its own program', lets: asUs },
  descriptors: { aim: 'inherits a descriptor', lets: [] },
  descriptor_leads_out: { aim: 'opens a file of the machine by an inherited descriptor', lets: [] },
  terminal: { aim: 'opens a terminal', lets: [] },
  memory_files: { aim: 'holds more than its memory in memory files', lets: unboxed },
  system_v_memory: { aim: 'holds more than its memory in shared segments', lets: unboxed },
  system_v_queues: { aim: 'keeps messages in queues of the kernel', lets: unboxed },
  shared_mapping: { aim: 'holds more than its memory in a shared mapping', lets: [] },
  shared_folder: { aim: 'fills /dev/shm beyond the limit of files', lets: unboxed },
  temporary_folder: { aim: 'fills its temporary folder beyond the limit of files', lets: unboxed },
  limits_raised: { aim: 'raises its limits', lets: [] },
  forks: { aim: 'has far more processes than it may', lets: [] },
  rings: { aim: 'makes a ring of system calls', lets: unboxed },
  keys: { aim: 'uses a keyring of the kernel', lets: unboxed },
  keys_of_others: { aim: 'finds a key that another call has left', lets: [] },
  foreign_abi: { aim: 'makes a system call of 32 bits', lets: unboxed },
  x32_abi: { aim: 'makes a system call of x32', lets: unboxed },
  user_namespace: { aim: 'makes a namespace of users', lets: unboxed },
  rights: { aim: 'gains rights', lets: [] },
  another_user: { aim: 'becomes another user or group', lets: [] },
  settings_of_the_kernel: { aim: 'writes to settings of the kernel', lets: [] },
  network: { aim: 'connects to a host', lets: unboxed },
  abstract_socket: { aim: 'connects to a local socket without a file', lets: unboxed },
  stray_survives: { aim: 'leaves a process that has wiped its environment and cannot be looked at', lets: asUs },
  segment_survives: { aim: 'leaves a shared segment', lets: asUs },
  shared_file_survives: { aim: 'leaves a file in /dev/shm', lets: asUs },
  scratch_survives: { aim: 'leaves files in its private folder that cannot be changed', lets: [] },
  cleaning_warned: { aim: 'makes its call end with a warning about what is left', lets: [] },
  victim_harmed: { aim: 'has us remove a folder of ours in its stead', lets: [] },
}
