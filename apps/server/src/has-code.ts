/** Whether an error of the operating system, Node or the database driver carries this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
