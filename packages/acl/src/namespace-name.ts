/** The format of namespace names. Decisions: namespaces. */
const NAMESPACE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/

export function isNamespaceName(text: string): boolean {
  return NAMESPACE_NAME.test(text)
}
