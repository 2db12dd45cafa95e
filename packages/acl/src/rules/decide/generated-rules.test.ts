import { expect, test } from 'vitest'
import { parseRules } from '../language/parse-rules.ts'
import { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './generated-rules.ts'

test('the generated texts begin with a line end, have none at the end, and indent with a tab', () => {
  expect(globalManagementRules()).toBe(`
acl = "write"
agent_prefix "" {
	policy = "write"
}
event_prefix "" {
	policy = "write"
}
key_prefix "" {
	policy = "write"
}
keyring = "write"
node_prefix "" {
	policy = "write"
}
operator = "write"
query_prefix "" {
	policy = "write"
}
service_prefix "" {
	policy = "write"
	intentions = "write"
}
session_prefix "" {
	policy = "write"
}`)
  expect(serviceIdentityRules('web')).toBe(`
service "web" {
	policy = "write"
}
service "web-sidecar-proxy" {
	policy = "write"
}
service_prefix "" {
	policy = "read"
}
node_prefix "" {
	policy = "read"
}`)
  expect(nodeIdentityRules('n1')).toBe(`
node "n1" {
	policy = "write"
}
service_prefix "" {
	policy = "read"
}`)
})

test.each([globalManagementRules(), serviceIdentityRules('web'), nodeIdentityRules('n1')])(
  'a generated text is a valid policy: %#',
  (text) => {
    expect(parseRules(text).warnings).toEqual([])
  },
)
