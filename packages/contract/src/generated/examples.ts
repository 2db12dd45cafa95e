/** An example for each endpoint. Recorded by `pnpm generate`; see packages/mocks/scripts/record-examples.ts. */
import type { RecordedExample } from '../openapi/document.ts'
import type { RouteName } from '../routes.ts'

export const EXAMPLES: Readonly<Record<RouteName, RecordedExample>> = {
  "tokens.create": {
    "path": "/v1/acl/token",
    "body": {
      "Description": "shop-web",
      "Policies": [
        {
          "Name": "orders-read"
        }
      ],
      "Roles": [
        {
          "Name": "shop"
        }
      ],
      "ServiceIdentities": [
        {
          "ServiceName": "shop-web",
          "Datacenters": [
            "dc1"
          ]
        }
      ],
      "NodeIdentities": [
        {
          "NodeName": "node-1",
          "Datacenter": "dc1"
        }
      ],
      "ExpirationTTL": "8h"
    },
    "answers": {
      "example": {
        "value": {
          "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
          "SecretID": "897c6501-668f-5abf-82f8-7ad7aae9496c",
          "Description": "shop-web",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "Roles": [
            {
              "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
              "Name": "shop"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web",
              "Datacenters": [
                "dc1"
              ]
            }
          ],
          "NodeIdentities": [
            {
              "NodeName": "node-1",
              "Datacenter": "dc1"
            }
          ],
          "Local": false,
          "ExpirationTime": "2026-01-31T20:00:02.75Z",
          "CreateTime": "2026-01-31T12:00:02.75Z",
          "Hash": "4rfOF1h/5Kxz4VYO0p+13zaLnlNtJWMAU4ph2wdhASA=",
          "CreateIndex": 6,
          "ModifyIndex": 6
        }
      }
    }
  },
  "tokens.self": {
    "path": "/v1/acl/token/self",
    "answers": {
      "example": {
        "value": {
          "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
          "SecretID": "897c6501-668f-5abf-82f8-7ad7aae9496c",
          "Description": "shop-web",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "Roles": [
            {
              "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
              "Name": "shop"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web",
              "Datacenters": [
                "dc1"
              ]
            }
          ],
          "NodeIdentities": [
            {
              "NodeName": "node-1",
              "Datacenter": "dc1"
            }
          ],
          "Local": false,
          "ExpirationTime": "2026-01-31T20:00:02.75Z",
          "CreateTime": "2026-01-31T12:00:02.75Z",
          "Hash": "4rfOF1h/5Kxz4VYO0p+13zaLnlNtJWMAU4ph2wdhASA=",
          "CreateIndex": 6,
          "ModifyIndex": 6
        }
      }
    }
  },
  "tokens.clone": {
    "path": "/v1/acl/token/35f60fba-01e5-c3ff-81fe-736391ee73f7/clone",
    "body": {
      "Description": "shop-worker"
    },
    "answers": {
      "example": {
        "value": {
          "AccessorID": "6cbc7181-3322-a638-d0ef-f522673db379",
          "SecretID": "fb3d5dfa-298a-cbf7-97fb-18045b5e675c",
          "Description": "shop-worker",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "Local": false,
          "ExpirationTime": "2026-01-31T20:00:02.75Z",
          "CreateTime": "2026-01-31T12:00:06.75Z",
          "Hash": "ysbGqRxi6Ou9Ueygd6OuN4Di/AiWQ4wrikwFU7CzsAQ=",
          "CreateIndex": 13,
          "ModifyIndex": 13
        }
      }
    }
  },
  "tokens.read": {
    "path": "/v1/acl/token/35f60fba-01e5-c3ff-81fe-736391ee73f7",
    "answers": {
      "acl:write": {
        "summary": "For a caller with acl:write",
        "value": {
          "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
          "SecretID": "897c6501-668f-5abf-82f8-7ad7aae9496c",
          "Description": "shop-web",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "Roles": [
            {
              "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
              "Name": "shop"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web",
              "Datacenters": [
                "dc1"
              ]
            }
          ],
          "NodeIdentities": [
            {
              "NodeName": "node-1",
              "Datacenter": "dc1"
            }
          ],
          "Local": false,
          "ExpirationTime": "2026-01-31T20:00:02.75Z",
          "CreateTime": "2026-01-31T12:00:02.75Z",
          "Hash": "4rfOF1h/5Kxz4VYO0p+13zaLnlNtJWMAU4ph2wdhASA=",
          "CreateIndex": 6,
          "ModifyIndex": 6
        }
      },
      "acl:read": {
        "summary": "For a caller with only acl:read",
        "value": {
          "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
          "SecretID": "<hidden>",
          "Description": "shop-web",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "Roles": [
            {
              "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
              "Name": "shop"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web",
              "Datacenters": [
                "dc1"
              ]
            }
          ],
          "NodeIdentities": [
            {
              "NodeName": "node-1",
              "Datacenter": "dc1"
            }
          ],
          "Local": false,
          "ExpirationTime": "2026-01-31T20:00:02.75Z",
          "CreateTime": "2026-01-31T12:00:02.75Z",
          "Hash": "4rfOF1h/5Kxz4VYO0p+13zaLnlNtJWMAU4ph2wdhASA=",
          "CreateIndex": 6,
          "ModifyIndex": 6
        }
      },
      "expanded": {
        "summary": "With expanded",
        "value": {
          "AccessorID": "8e9724ef-f5bb-d65e-8ed7-271de74074df",
          "SecretID": "1fa64135-f537-2ac0-4363-b425b070c0c9",
          "Description": "node-1",
          "NodeIdentities": [
            {
              "NodeName": "node-1",
              "Datacenter": "dc1"
            }
          ],
          "Local": false,
          "CreateTime": "2026-01-31T12:00:05Z",
          "Hash": "7fvqf594yNkGhr1iNSdOe1SscJoZ5PW5KT9oUVrRD+U=",
          "CreateIndex": 9,
          "ModifyIndex": 9,
          "ExpandedPolicies": [
            {
              "ID": "0a6e6f646520226e6f64652d3122207b0a09706f6c696379203d20227772697465220a7d0a736572766963655f707265666978202222207b0a09706f6c696379203d202272656164220a7d6c62272e07bb014262b821756295c58d",
              "Name": "synthetic-policy-0a6e6f646520226e6f64652d3122207b0a09706f6c696379203d20227772697465220a7d0a736572766963655f707265666978202222207b0a09706f6c696379203d202272656164220a7d6c62272e07bb014262b821756295c58d",
              "Description": "synthetic policy",
              "Rules": "\nnode \"node-1\" {\n\tpolicy = \"write\"\n}\nservice_prefix \"\" {\n\tpolicy = \"read\"\n}",
              "Datacenters": [
                "dc1"
              ],
              "Hash": "YrfRvPsa7sqqN+Gbbj2iljJk9tWtYwtfyjXkO+BepSA=",
              "CreateIndex": 0,
              "ModifyIndex": 0
            }
          ],
          "ExpandedRoles": null,
          "NamespaceDefaultPolicyIDs": null,
          "NamespaceDefaultRoleIDs": null,
          "AgentACLDefaultPolicy": "deny",
          "AgentACLDownPolicy": "extend-cache",
          "ResolvedByAgent": "mock"
        }
      }
    }
  },
  "tokens.update": {
    "path": "/v1/acl/token/35f60fba-01e5-c3ff-81fe-736391ee73f7",
    "body": {
      "Description": "shop-web, second floor",
      "Policies": [
        {
          "Name": "orders-read"
        }
      ]
    },
    "answers": {
      "example": {
        "value": {
          "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
          "SecretID": "897c6501-668f-5abf-82f8-7ad7aae9496c",
          "Description": "shop-web, second floor",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "Local": false,
          "ExpirationTime": "2026-01-31T20:00:02.75Z",
          "CreateTime": "2026-01-31T12:00:02.75Z",
          "Hash": "wJ4pdY8F3H2/39XjuYRatD1XDiqfUkr0DtznP9YdnOA=",
          "CreateIndex": 6,
          "ModifyIndex": 12
        }
      }
    }
  },
  "tokens.delete": {
    "path": "/v1/acl/token/35f60fba-01e5-c3ff-81fe-736391ee73f7",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "tokens.list": {
    "path": "/v1/acl/tokens",
    "answers": {
      "example": {
        "value": [
          {
            "AccessorID": "00000000-0000-0000-0000-000000000002",
            "SecretID": "anonymous",
            "Description": "Anonymous Token",
            "Local": false,
            "CreateTime": "2026-01-31T12:00:00Z",
            "Hash": "RNVFSWnfd5DUOuB8vplp+imivlIna3fKQVnkUHh21cA=",
            "CreateIndex": 1,
            "ModifyIndex": 1
          },
          {
            "AccessorID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "SecretID": "ed726926-dcd6-69a7-3eb9-b2a64467705e",
            "Description": "Bootstrap Token (Global Management)",
            "Policies": [
              {
                "ID": "00000000-0000-0000-0000-000000000001",
                "Name": "global-management"
              }
            ],
            "Local": false,
            "CreateTime": "2026-01-31T12:00:00.25Z",
            "Hash": "oyrov6+GFLjo/KZAfqgxF/X4J/3LX0435DOBy9V22I0=",
            "CreateIndex": 3,
            "ModifyIndex": 3
          },
          {
            "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
            "SecretID": "897c6501-668f-5abf-82f8-7ad7aae9496c",
            "Description": "shop-web",
            "Policies": [
              {
                "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
                "Name": "orders-read"
              }
            ],
            "Roles": [
              {
                "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
                "Name": "shop"
              }
            ],
            "ServiceIdentities": [
              {
                "ServiceName": "shop-web",
                "Datacenters": [
                  "dc1"
                ]
              }
            ],
            "NodeIdentities": [
              {
                "NodeName": "node-1",
                "Datacenter": "dc1"
              }
            ],
            "Local": false,
            "ExpirationTime": "2026-01-31T20:00:02.75Z",
            "CreateTime": "2026-01-31T12:00:02.75Z",
            "Hash": "4rfOF1h/5Kxz4VYO0p+13zaLnlNtJWMAU4ph2wdhASA=",
            "CreateIndex": 6,
            "ModifyIndex": 6
          },
          {
            "AccessorID": "76b99ef3-8e7c-ed0d-46dc-ac20a8f3f7e9",
            "SecretID": "2eb478b3-d5f8-45f5-af69-32f3e7d4729a",
            "Description": "",
            "Policies": [
              {
                "ID": "0694487d-34da-f5ea-f32d-9575939c0e85",
                "Name": "acl-read"
              }
            ],
            "Local": false,
            "CreateTime": "2026-01-31T12:00:04.5Z",
            "Hash": "mpZDEJ1k+iHx1AfYgXAmfmp423vXret/tZQSs4X90o4=",
            "CreateIndex": 8,
            "ModifyIndex": 8
          },
          {
            "AccessorID": "8e9724ef-f5bb-d65e-8ed7-271de74074df",
            "SecretID": "1fa64135-f537-2ac0-4363-b425b070c0c9",
            "Description": "node-1",
            "NodeIdentities": [
              {
                "NodeName": "node-1",
                "Datacenter": "dc1"
              }
            ],
            "Local": false,
            "CreateTime": "2026-01-31T12:00:05Z",
            "Hash": "7fvqf594yNkGhr1iNSdOe1SscJoZ5PW5KT9oUVrRD+U=",
            "CreateIndex": 9,
            "ModifyIndex": 9
          }
        ]
      }
    }
  },
  "tokens.bootstrap": {
    "path": "/v1/acl/bootstrap",
    "answers": {
      "example": {
        "value": {
          "ID": "ed726926-dcd6-69a7-3eb9-b2a64467705e",
          "AccessorID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
          "SecretID": "ed726926-dcd6-69a7-3eb9-b2a64467705e",
          "Description": "Bootstrap Token (Global Management)",
          "Policies": [
            {
              "ID": "00000000-0000-0000-0000-000000000001",
              "Name": "global-management"
            }
          ],
          "Local": false,
          "CreateTime": "2026-01-31T12:00:00.25Z",
          "Hash": "oyrov6+GFLjo/KZAfqgxF/X4J/3LX0435DOBy9V22I0=",
          "CreateIndex": 3,
          "ModifyIndex": 3
        }
      }
    }
  },
  "policies.create": {
    "path": "/v1/acl/policy",
    "body": {
      "Name": "orders-read",
      "Description": "Read the orders",
      "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nservice \"orders\" {\n  policy = \"read\"\n}\n"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
          "Name": "orders-read",
          "Description": "Read the orders",
          "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nservice \"orders\" {\n  policy = \"read\"\n}\n",
          "Hash": "1khH2QUKI/UCsEiHZ4/RX/1fDWjkrR5g9rYWegY3wag=",
          "CreateIndex": 4,
          "ModifyIndex": 4
        }
      }
    }
  },
  "policies.lint": {
    "path": "/v1/acl/policy/lint",
    "body": {
      "Rules": "key \"orders/*\" { policy = \"read\" }"
    },
    "answers": {
      "example": {
        "value": [
          {
            "Code": "wildcard_is_literal",
            "Severity": "warning",
            "Message": "key \"orders/*\": * is an ordinary character here; to match a prefix, write key_prefix \"orders/\"",
            "Line": 1,
            "Column": 1
          }
        ]
      }
    }
  },
  "policies.readByName": {
    "path": "/v1/acl/policy/name/orders-read",
    "answers": {
      "example": {
        "value": {
          "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
          "Name": "orders-read",
          "Description": "Read the orders",
          "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nservice \"orders\" {\n  policy = \"read\"\n}\n",
          "Hash": "1khH2QUKI/UCsEiHZ4/RX/1fDWjkrR5g9rYWegY3wag=",
          "CreateIndex": 4,
          "ModifyIndex": 4
        }
      }
    }
  },
  "policies.whatIf": {
    "path": "/v1/acl/policy/ee316dd6-d3f2-d145-5c95-4f23b22df535/what-if",
    "body": {
      "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nkey_prefix \"returns/\" {\n  policy = \"read\"\n}\n"
    },
    "answers": {
      "example": {
        "value": [
          {
            "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
            "Description": "shop-web",
            "Gains": [
              {
                "Resource": "key",
                "Segment": "returns/",
                "Access": "read"
              },
              {
                "Resource": "key",
                "Segment": "returns/other",
                "Access": "read"
              }
            ],
            "Losses": []
          }
        ]
      }
    }
  },
  "policies.read": {
    "path": "/v1/acl/policy/ee316dd6-d3f2-d145-5c95-4f23b22df535",
    "answers": {
      "example": {
        "value": {
          "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
          "Name": "orders-read",
          "Description": "Read the orders",
          "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nservice \"orders\" {\n  policy = \"read\"\n}\n",
          "Hash": "1khH2QUKI/UCsEiHZ4/RX/1fDWjkrR5g9rYWegY3wag=",
          "CreateIndex": 4,
          "ModifyIndex": 4
        }
      }
    }
  },
  "policies.update": {
    "path": "/v1/acl/policy/ee316dd6-d3f2-d145-5c95-4f23b22df535",
    "body": {
      "Name": "orders-read",
      "Description": "Read orders and returns",
      "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nkey_prefix \"returns/\" {\n  policy = \"read\"\n}\n"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
          "Name": "orders-read",
          "Description": "Read orders and returns",
          "Rules": "key_prefix \"orders/\" {\n  policy = \"read\"\n}\nkey_prefix \"returns/\" {\n  policy = \"read\"\n}\n",
          "Hash": "qvABUs5xt0z4lQ11WflMjnpvZZ0IKgNbBkY8aH/gfmY=",
          "CreateIndex": 4,
          "ModifyIndex": 11
        }
      }
    }
  },
  "policies.delete": {
    "path": "/v1/acl/policy/ee316dd6-d3f2-d145-5c95-4f23b22df535",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "policies.list": {
    "path": "/v1/acl/policies",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "00000000-0000-0000-0000-000000000001",
            "Name": "global-management",
            "Description": "Builtin Policy that grants unlimited access",
            "Datacenters": null,
            "Hash": "swIQt6up+s0cV4kePfJ2aRdKCLaQyykF4Hl1Nfdeumk=",
            "CreateIndex": 1,
            "ModifyIndex": 1
          },
          {
            "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
            "Name": "orders-read",
            "Description": "Read the orders",
            "Datacenters": null,
            "Hash": "1khH2QUKI/UCsEiHZ4/RX/1fDWjkrR5g9rYWegY3wag=",
            "CreateIndex": 4,
            "ModifyIndex": 4
          }
        ]
      }
    }
  },
  "roles.create": {
    "path": "/v1/acl/role",
    "body": {
      "Name": "shop",
      "Description": "What every part of the shop may do",
      "Policies": [
        {
          "Name": "orders-read"
        }
      ],
      "ServiceIdentities": [
        {
          "ServiceName": "shop"
        }
      ]
    },
    "answers": {
      "example": {
        "value": {
          "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
          "Name": "shop",
          "Description": "What every part of the shop may do",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop"
            }
          ],
          "Hash": "clMhEKYKYQ8t2LL9nruNxNVSVVDKKixi8qriDgbxs/0=",
          "CreateIndex": 5,
          "ModifyIndex": 5
        }
      }
    }
  },
  "roles.readByName": {
    "path": "/v1/acl/role/name/shop",
    "answers": {
      "example": {
        "value": {
          "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
          "Name": "shop",
          "Description": "What every part of the shop may do",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop"
            }
          ],
          "Hash": "clMhEKYKYQ8t2LL9nruNxNVSVVDKKixi8qriDgbxs/0=",
          "CreateIndex": 5,
          "ModifyIndex": 5
        }
      }
    }
  },
  "roles.read": {
    "path": "/v1/acl/role/a6b67d21-bdb6-560a-b7b0-625e16d98a18",
    "answers": {
      "example": {
        "value": {
          "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
          "Name": "shop",
          "Description": "What every part of the shop may do",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop"
            }
          ],
          "Hash": "clMhEKYKYQ8t2LL9nruNxNVSVVDKKixi8qriDgbxs/0=",
          "CreateIndex": 5,
          "ModifyIndex": 5
        }
      }
    }
  },
  "roles.update": {
    "path": "/v1/acl/role/a6b67d21-bdb6-560a-b7b0-625e16d98a18",
    "body": {
      "Name": "shop",
      "Description": "What every part of the shop may do",
      "Policies": [
        {
          "Name": "orders-read"
        }
      ],
      "ServiceIdentities": [
        {
          "ServiceName": "shop"
        }
      ]
    },
    "answers": {
      "example": {
        "value": {
          "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
          "Name": "shop",
          "Description": "What every part of the shop may do",
          "Policies": [
            {
              "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
              "Name": "orders-read"
            }
          ],
          "ServiceIdentities": [
            {
              "ServiceName": "shop"
            }
          ],
          "Hash": "clMhEKYKYQ8t2LL9nruNxNVSVVDKKixi8qriDgbxs/0=",
          "CreateIndex": 5,
          "ModifyIndex": 10
        }
      }
    }
  },
  "roles.delete": {
    "path": "/v1/acl/role/a6b67d21-bdb6-560a-b7b0-625e16d98a18",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "roles.list": {
    "path": "/v1/acl/roles",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "a6b67d21-bdb6-560a-b7b0-625e16d98a18",
            "Name": "shop",
            "Description": "What every part of the shop may do",
            "Policies": [
              {
                "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
                "Name": "orders-read"
              }
            ],
            "ServiceIdentities": [
              {
                "ServiceName": "shop"
              }
            ],
            "Hash": "clMhEKYKYQ8t2LL9nruNxNVSVVDKKixi8qriDgbxs/0=",
            "CreateIndex": 5,
            "ModifyIndex": 5
          }
        ]
      }
    }
  },
  "namespaces.create": {
    "path": "/v1/namespace",
    "body": {
      "Name": "team-a",
      "Description": "Everything of team A"
    },
    "answers": {
      "example": {
        "value": {
          "Name": "team-a",
          "Description": "Everything of team A",
          "ACLs": {
            "PolicyDefaults": [],
            "RoleDefaults": []
          },
          "CreateIndex": 3,
          "ModifyIndex": 3
        }
      }
    }
  },
  "namespaces.read": {
    "path": "/v1/namespace/team-a",
    "answers": {
      "example": {
        "value": {
          "Name": "team-a",
          "Description": "Everything of team A",
          "ACLs": {
            "PolicyDefaults": [],
            "RoleDefaults": []
          },
          "CreateIndex": 3,
          "ModifyIndex": 3
        }
      }
    }
  },
  "namespaces.update": {
    "path": "/v1/namespace/team-a",
    "body": {
      "Description": "Team A"
    },
    "answers": {
      "example": {
        "value": {
          "Name": "team-a",
          "Description": "Team A",
          "ACLs": {
            "PolicyDefaults": [],
            "RoleDefaults": []
          },
          "CreateIndex": 3,
          "ModifyIndex": 4
        }
      }
    }
  },
  "namespaces.delete": {
    "path": "/v1/namespace/team-a",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "namespaces.list": {
    "path": "/v1/namespaces",
    "answers": {
      "example": {
        "value": [
          {
            "Name": "default",
            "Description": "Builtin Default Namespace",
            "ACLs": {
              "PolicyDefaults": [],
              "RoleDefaults": []
            },
            "CreateIndex": 0,
            "ModifyIndex": 0
          },
          {
            "Name": "team-a",
            "Description": "Team A",
            "ACLs": {
              "PolicyDefaults": [],
              "RoleDefaults": []
            },
            "CreateIndex": 3,
            "ModifyIndex": 4
          }
        ]
      }
    }
  },
  "authMethods.create": {
    "path": "/v1/acl/auth-method",
    "body": {
      "Name": "ci",
      "Type": "jwt",
      "DisplayName": "Build pipelines",
      "Description": "Jobs of the build system",
      "MaxTokenTTL": "15m",
      "Config": {
        "BoundAudiences": [
          "latchkey"
        ],
        "BoundIssuer": "https://ci.example.com",
        "ClaimMappings": {
          "project": "project",
          "ref": "ref"
        },
        "JWKSURL": "https://ci.example.com/.well-known/jwks.json",
        "ListClaimMappings": {
          "groups": "groups"
        }
      }
    },
    "answers": {
      "example": {
        "value": {
          "MaxTokenTTL": "15m0s",
          "Name": "ci",
          "Type": "jwt",
          "DisplayName": "Build pipelines",
          "Description": "Jobs of the build system",
          "Config": {
            "BoundAudiences": [
              "latchkey"
            ],
            "BoundIssuer": "https://ci.example.com",
            "ClaimMappings": {
              "project": "project",
              "ref": "ref"
            },
            "JWKSURL": "https://ci.example.com/.well-known/jwks.json",
            "ListClaimMappings": {
              "groups": "groups"
            }
          },
          "CreateIndex": 3,
          "ModifyIndex": 3
        }
      }
    }
  },
  "authMethods.read": {
    "path": "/v1/acl/auth-method/ci",
    "answers": {
      "example": {
        "value": {
          "MaxTokenTTL": "15m0s",
          "Name": "ci",
          "Type": "jwt",
          "DisplayName": "Build pipelines",
          "Description": "Jobs of the build system",
          "Config": {
            "BoundAudiences": [
              "latchkey"
            ],
            "BoundIssuer": "https://ci.example.com",
            "ClaimMappings": {
              "project": "project",
              "ref": "ref"
            },
            "JWKSURL": "https://ci.example.com/.well-known/jwks.json",
            "ListClaimMappings": {
              "groups": "groups"
            }
          },
          "CreateIndex": 3,
          "ModifyIndex": 3
        }
      }
    }
  },
  "authMethods.update": {
    "path": "/v1/acl/auth-method/ci",
    "body": {
      "Name": "ci",
      "Type": "jwt",
      "DisplayName": "Build pipelines",
      "Description": "Jobs of the build system",
      "MaxTokenTTL": "30m",
      "Config": {
        "BoundAudiences": [
          "latchkey"
        ],
        "BoundIssuer": "https://ci.example.com",
        "ClaimMappings": {
          "project": "project",
          "ref": "ref"
        },
        "JWKSURL": "https://ci.example.com/.well-known/jwks.json",
        "ListClaimMappings": {
          "groups": "groups"
        }
      }
    },
    "answers": {
      "example": {
        "value": {
          "MaxTokenTTL": "30m0s",
          "Name": "ci",
          "Type": "jwt",
          "DisplayName": "Build pipelines",
          "Description": "Jobs of the build system",
          "Config": {
            "BoundAudiences": [
              "latchkey"
            ],
            "BoundIssuer": "https://ci.example.com",
            "ClaimMappings": {
              "project": "project",
              "ref": "ref"
            },
            "JWKSURL": "https://ci.example.com/.well-known/jwks.json",
            "ListClaimMappings": {
              "groups": "groups"
            }
          },
          "CreateIndex": 3,
          "ModifyIndex": 4
        }
      }
    }
  },
  "authMethods.delete": {
    "path": "/v1/acl/auth-method/ci",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "authMethods.explain": {
    "path": "/v1/acl/auth-method/ci/explain",
    "body": {
      "Claims": {
        "project": "shop",
        "ref": "main",
        "groups": [
          "deploy"
        ]
      }
    },
    "answers": {
      "example": {
        "value": {
          "Values": {
            "value.project": "shop",
            "value.ref": "main"
          },
          "Lists": {
            "list.groups": [
              "deploy"
            ]
          },
          "Rules": [
            {
              "ID": "feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
              "Selector": "value.ref == main and \"deploy\" in list.groups",
              "BindType": "service",
              "BindName": "${value.project}-web",
              "Applies": true,
              "Name": "shop-web"
            }
          ],
          "Roles": [],
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web"
            }
          ],
          "NodeIdentities": [],
          "Rights": [
            {
              "Resource": "service",
              "Segment": "shop-web",
              "Access": "read"
            },
            {
              "Resource": "service",
              "Segment": "shop-web",
              "Access": "write"
            },
            {
              "Resource": "intention",
              "Segment": "shop-web",
              "Access": "read"
            },
            {
              "Resource": "intention",
              "Segment": "*",
              "Access": "read"
            },
            {
              "Resource": "service",
              "Segment": "shop-web-sidecar-proxy",
              "Access": "read"
            },
            {
              "Resource": "service",
              "Segment": "shop-web-sidecar-proxy",
              "Access": "write"
            },
            {
              "Resource": "intention",
              "Segment": "shop-web-sidecar-proxy",
              "Access": "read"
            },
            {
              "Resource": "service",
              "Access": "read"
            },
            {
              "Resource": "service",
              "Segment": "other",
              "Access": "read"
            },
            {
              "Resource": "intention",
              "Access": "read"
            },
            {
              "Resource": "intention",
              "Segment": "other",
              "Access": "read"
            },
            {
              "Resource": "node",
              "Access": "read"
            },
            {
              "Resource": "node",
              "Segment": "other",
              "Access": "read"
            }
          ]
        }
      }
    }
  },
  "authMethods.logins": {
    "path": "/v1/acl/auth-method/ci/logins",
    "answers": {
      "example": {
        "value": [
          {
            "Identity": "project:shop",
            "LiveTokens": 1,
            "OldestCreateTime": "2026-01-31T12:00:02.5Z"
          }
        ]
      }
    }
  },
  "authMethods.list": {
    "path": "/v1/acl/auth-methods",
    "answers": {
      "example": {
        "value": [
          {
            "Name": "ci",
            "Type": "jwt",
            "DisplayName": "Build pipelines",
            "Description": "Jobs of the build system",
            "MaxTokenTTL": "15m0s",
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "bindingRules.create": {
    "path": "/v1/acl/binding-rule",
    "body": {
      "Description": "Deployments from main",
      "AuthMethod": "ci",
      "Selector": "value.ref == main and \"deploy\" in list.groups",
      "BindType": "service",
      "BindName": "${value.project}-web"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
          "Description": "Deployments from main",
          "AuthMethod": "ci",
          "Selector": "value.ref == main and \"deploy\" in list.groups",
          "BindType": "service",
          "BindName": "${value.project}-web",
          "CreateIndex": 5,
          "ModifyIndex": 5
        }
      }
    }
  },
  "bindingRules.read": {
    "path": "/v1/acl/binding-rule/feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
    "answers": {
      "example": {
        "value": {
          "ID": "feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
          "Description": "Deployments from main",
          "AuthMethod": "ci",
          "Selector": "value.ref == main and \"deploy\" in list.groups",
          "BindType": "service",
          "BindName": "${value.project}-web",
          "CreateIndex": 5,
          "ModifyIndex": 5
        }
      }
    }
  },
  "bindingRules.update": {
    "path": "/v1/acl/binding-rule/feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
    "body": {
      "Description": "Deployments",
      "AuthMethod": "ci",
      "Selector": "value.ref == main and \"deploy\" in list.groups",
      "BindType": "service",
      "BindName": "${value.project}-web"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
          "Description": "Deployments",
          "AuthMethod": "ci",
          "Selector": "value.ref == main and \"deploy\" in list.groups",
          "BindType": "service",
          "BindName": "${value.project}-web",
          "CreateIndex": 5,
          "ModifyIndex": 6
        }
      }
    }
  },
  "bindingRules.delete": {
    "path": "/v1/acl/binding-rule/feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "bindingRules.list": {
    "path": "/v1/acl/binding-rules",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "feb59e15-ed72-6926-dcd6-69a73eb9b2a6",
            "Description": "Deployments from main",
            "AuthMethod": "ci",
            "Selector": "value.ref == main and \"deploy\" in list.groups",
            "BindType": "service",
            "BindName": "${value.project}-web",
            "CreateIndex": 5,
            "ModifyIndex": 5
          }
        ]
      }
    }
  },
  "login.login": {
    "path": "/v1/acl/login",
    "body": {
      "AuthMethod": "ci",
      "BearerToken": "eyJhbGciOiJub25lIn0.eyJpYXQiOjE3Njk4NjA4MDIsImV4cCI6MTc2OTg2NDQwMiwic3ViIjoicHJvamVjdDpzaG9wIiwiaXNzIjoiaHR0cHM6Ly9jaS5leGFtcGxlLmNvbSIsImF1ZCI6ImxhdGNoa2V5IiwicHJvamVjdCI6InNob3AiLCJyZWYiOiJtYWluIiwiZ3JvdXBzIjpbImRlcGxveSJdfQ.",
      "Meta": {
        "job": "1234"
      }
    },
    "answers": {
      "example": {
        "value": {
          "AccessorID": "4467705e-ee31-6dd6-d3f2-d1455c954f23",
          "SecretID": "b22df535-a6b6-7d21-bdb6-560ab7b0625e",
          "Description": "token created via login: {\"job\":\"1234\"}",
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web"
            }
          ],
          "Local": true,
          "AuthMethod": "ci",
          "ExpirationTime": "2026-01-31T12:30:02.5Z",
          "CreateTime": "2026-01-31T12:00:02.5Z",
          "Hash": "n5jXco4YwfEuLONJLMkftNiDI8rx3hicYjDLfG3PDhA=",
          "CreateIndex": 7,
          "ModifyIndex": 7
        }
      }
    }
  },
  "login.logout": {
    "path": "/v1/acl/logout",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "login.authUrl": {
    "path": "/v1/acl/oidc/auth-url",
    "body": {
      "AuthMethod": "people",
      "RedirectURI": "http://localhost:8550/oidc/callback",
      "ClientNonce": "4f8a"
    },
    "answers": {
      "example": {
        "value": {
          "AuthURL": "https://login.example.com/authorize?response_type=code&client_id=latchkey&redirect_uri=http%3A%2F%2Flocalhost%3A8550%2Foidc%2Fcallback&scope=openid&state=d1455c954f23b22df535a6b67d21bdb6560ab7b0625e16d98a1835f60fba01e5&nonce=c3ff81fe736391ee73f7897c6501668f5abf82f87ad7aae9496c0694487d34da&code_challenge=ZtBUUiV0Mxi1uchiDIvo5mAsbYRDPRjqB2yMZJAcv38&code_challenge_method=S256"
        }
      }
    }
  },
  "login.callback": {
    "path": "/v1/acl/oidc/callback",
    "body": {
      "AuthMethod": "people",
      "State": "d1455c954f23b22df535a6b67d21bdb6560ab7b0625e16d98a1835f60fba01e5",
      "Code": "45f5af6932f3e7d4729a8e9724eff5bb",
      "ClientNonce": "4f8a"
    },
    "answers": {
      "example": {
        "value": {
          "AccessorID": "d65e8ed7-271d-e740-74df-1fa64135f537",
          "SecretID": "2ac04363-b425-b070-c0c9-6cbc71813322",
          "Description": "token created via OIDC login",
          "ServiceIdentities": [
            {
              "ServiceName": "shop-web"
            }
          ],
          "Local": true,
          "AuthMethod": "people",
          "AuthMethodNamespace": "default",
          "ExpirationTime": "2026-01-31T20:00:03.5Z",
          "CreateTime": "2026-01-31T12:00:03.5Z",
          "Hash": "KpLbwdyy3ijzeE5DK8DJ3UYfiV0MOSKoq0lXxMtTw0Y=",
          "CreateIndex": 11,
          "ModifyIndex": 11,
          "Namespace": "default"
        }
      }
    }
  },
  "decisions.authorize": {
    "path": "/v1/internal/acl/authorize",
    "body": [
      {
        "Resource": "key",
        "Segment": "orders/1",
        "Access": "read"
      },
      {
        "Resource": "key",
        "Segment": "orders/1",
        "Access": "write"
      }
    ],
    "answers": {
      "plain": {
        "value": [
          {
            "Resource": "key",
            "Segment": "orders/1",
            "Access": "read",
            "Allow": true
          },
          {
            "Resource": "key",
            "Segment": "orders/1",
            "Access": "write",
            "Allow": false
          }
        ]
      },
      "explain": {
        "summary": "With explain",
        "value": [
          {
            "Resource": "key",
            "Segment": "orders/1",
            "Access": "read",
            "Allow": true,
            "Explanation": {
              "Rule": {
                "PolicyID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
                "PolicyName": "orders-read",
                "Kind": "key_prefix",
                "Segment": "orders/",
                "Level": "read",
                "Line": 1
              },
              "Path": [
                "policy orders-read"
              ]
            }
          },
          {
            "Resource": "key",
            "Segment": "orders/1",
            "Access": "write",
            "Allow": false,
            "Explanation": {
              "Rule": {
                "PolicyID": "ee316dd6-d3f2-d145-5c95-4f23b22df535",
                "PolicyName": "orders-read",
                "Kind": "key_prefix",
                "Segment": "orders/",
                "Level": "read",
                "Line": 1
              },
              "Path": [
                "policy orders-read"
              ],
              "Missing": {
                "Resource": "key",
                "Segment": "orders/1",
                "Access": "write"
              }
            }
          }
        ]
      }
    }
  },
  "decisions.whoCan": {
    "path": "/v1/internal/acl/who-can",
    "body": {
      "Resource": "key",
      "Segment": "orders/1",
      "Access": "read"
    },
    "answers": {
      "example": {
        "value": [
          {
            "AccessorID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Description": "Bootstrap Token (Global Management)"
          },
          {
            "AccessorID": "35f60fba-01e5-c3ff-81fe-736391ee73f7",
            "Description": "shop-web"
          }
        ]
      }
    }
  },
  "kv.read": {
    "path": "/v1/kv/orders/1",
    "answers": {
      "entry": {
        "summary": "One key",
        "value": [
          {
            "LockIndex": 0,
            "Key": "orders/1",
            "Flags": 0,
            "Value": "aGVsbG8=",
            "CreateIndex": 4,
            "ModifyIndex": 4
          }
        ]
      },
      "keys": {
        "summary": "With keys",
        "value": [
          "orders/1",
          "orders/2"
        ]
      }
    }
  },
  "kv.write": {
    "path": "/v1/kv/orders/1",
    "body": "hello",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "kv.delete": {
    "path": "/v1/kv/orders/1",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "txn.apply": {
    "path": "/v1/txn",
    "body": [
      {
        "KV": {
          "Verb": "check-index",
          "Key": "orders/next",
          "Index": 6
        }
      },
      {
        "KV": {
          "Verb": "set",
          "Key": "orders/next",
          "Value": "Mg=="
        }
      }
    ],
    "answers": {
      "made": {
        "summary": "All operations are applied",
        "value": {
          "Results": [
            {
              "KV": {
                "LockIndex": 0,
                "Key": "orders/next",
                "Flags": 0,
                "Value": null,
                "CreateIndex": 6,
                "ModifyIndex": 6
              }
            },
            {
              "KV": {
                "LockIndex": 0,
                "Key": "orders/next",
                "Flags": 0,
                "Value": null,
                "CreateIndex": 6,
                "ModifyIndex": 7
              }
            }
          ],
          "Errors": null
        }
      },
      "refused": {
        "summary": "Status 409: one operation fails, so none is applied",
        "value": {
          "Results": null,
          "Errors": [
            {
              "OpIndex": 0,
              "What": "failed index check for key \"orders/next\", current modify index 7 != 6"
            }
          ]
        }
      }
    }
  },
  "sessions.create": {
    "path": "/v1/session/create",
    "body": {
      "Name": "reindex",
      "TTL": "15s"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
        }
      }
    }
  },
  "sessions.destroy": {
    "path": "/v1/session/destroy/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "sessions.info": {
    "path": "/v1/session/info/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "reindex",
            "Node": "mock",
            "LockDelay": 15000000000,
            "Behavior": "release",
            "TTL": "15s",
            "NodeChecks": [],
            "ServiceChecks": null,
            "CreateIndex": 8,
            "ModifyIndex": 8
          }
        ]
      }
    }
  },
  "sessions.node": {
    "path": "/v1/session/node/mock",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "reindex",
            "Node": "mock",
            "LockDelay": 15000000000,
            "Behavior": "release",
            "TTL": "15s",
            "NodeChecks": [],
            "ServiceChecks": null,
            "CreateIndex": 8,
            "ModifyIndex": 8
          }
        ]
      }
    }
  },
  "sessions.list": {
    "path": "/v1/session/list",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "reindex",
            "Node": "mock",
            "LockDelay": 15000000000,
            "Behavior": "release",
            "TTL": "15s",
            "NodeChecks": [],
            "ServiceChecks": null,
            "CreateIndex": 8,
            "ModifyIndex": 8
          }
        ]
      }
    }
  },
  "sessions.renew": {
    "path": "/v1/session/renew/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "reindex",
            "Node": "mock",
            "LockDelay": 15000000000,
            "Behavior": "release",
            "TTL": "15s",
            "NodeChecks": [],
            "ServiceChecks": null,
            "CreateIndex": 8,
            "ModifyIndex": 8
          }
        ]
      }
    }
  },
  "intentions.list": {
    "path": "/v1/connect/intentions",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Description": "The shop reads orders",
            "SourceNS": "default",
            "SourceName": "shop",
            "DestinationNS": "default",
            "DestinationName": "orders",
            "SourceType": "consul",
            "Action": "allow",
            "Precedence": 9,
            "CreatedAt": "2026-01-31T12:00:00.25Z",
            "UpdatedAt": "2026-01-31T12:00:00.25Z",
            "Hash": "UbEx/Sw11XMZQHzuEjibet9LjGqW/hKbqvi4LbE4kvU=",
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "intentions.create": {
    "path": "/v1/connect/intentions",
    "body": {
      "SourceName": "shop",
      "DestinationName": "orders",
      "Action": "allow",
      "Description": "The shop reads orders"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
        }
      }
    }
  },
  "intentions.match": {
    "path": "/v1/connect/intentions/match?by=destination&name=orders",
    "answers": {
      "example": {
        "value": {
          "orders": [
            {
              "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
              "Description": "The shop reads orders",
              "SourceNS": "default",
              "SourceName": "shop",
              "DestinationNS": "default",
              "DestinationName": "orders",
              "SourceType": "consul",
              "Action": "allow",
              "Precedence": 9,
              "CreatedAt": "2026-01-31T12:00:00.25Z",
              "UpdatedAt": "2026-01-31T12:00:00.25Z",
              "Hash": "UbEx/Sw11XMZQHzuEjibet9LjGqW/hKbqvi4LbE4kvU=",
              "CreateIndex": 3,
              "ModifyIndex": 3
            }
          ]
        }
      }
    }
  },
  "intentions.check": {
    "path": "/v1/connect/intentions/check?source=shop&destination=orders",
    "answers": {
      "example": {
        "value": {
          "Allowed": true
        }
      }
    }
  },
  "intentions.readExact": {
    "path": "/v1/connect/intentions/exact?source=shop&destination=orders",
    "answers": {
      "example": {
        "value": {
          "Description": "The shop reads orders",
          "SourceNS": "default",
          "SourceName": "shop",
          "DestinationNS": "default",
          "DestinationName": "orders",
          "SourceType": "consul",
          "Action": "allow",
          "Precedence": 9,
          "CreateIndex": 6,
          "ModifyIndex": 6
        }
      }
    }
  },
  "intentions.writeExact": {
    "path": "/v1/connect/intentions/exact?source=shop&destination=orders",
    "body": {
      "Action": "allow",
      "Description": "The shop reads orders"
    },
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "intentions.deleteExact": {
    "path": "/v1/connect/intentions/exact?source=shop&destination=orders",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "intentions.read": {
    "path": "/v1/connect/intentions/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
          "Description": "The shop reads orders",
          "SourceNS": "default",
          "SourceName": "shop",
          "DestinationNS": "default",
          "DestinationName": "orders",
          "SourceType": "consul",
          "Action": "allow",
          "Precedence": 9,
          "CreatedAt": "2026-01-31T12:00:00.25Z",
          "UpdatedAt": "2026-01-31T12:00:00.25Z",
          "Hash": "UbEx/Sw11XMZQHzuEjibet9LjGqW/hKbqvi4LbE4kvU=",
          "CreateIndex": 3,
          "ModifyIndex": 3
        }
      }
    }
  },
  "intentions.update": {
    "path": "/v1/connect/intentions/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "body": {
      "SourceName": "shop",
      "DestinationName": "orders",
      "Action": "deny",
      "Description": "The shop reads orders"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
        }
      }
    }
  },
  "intentions.delete": {
    "path": "/v1/connect/intentions/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "intentions.migration": {
    "path": "/v1/internal/intentions/migration",
    "answers": {
      "example": {
        "value": {
          "State": "done",
          "Intentions": 0,
          "Destinations": 0,
          "EstimatedSeconds": 0,
          "Since": "2026-01-31T12:00:00Z"
        }
      }
    }
  },
  "configEntries.write": {
    "path": "/v1/config",
    "body": {
      "Kind": "service-intentions",
      "Name": "orders",
      "Sources": [
        {
          "Name": "shop",
          "Action": "allow",
          "Description": "The shop reads orders"
        }
      ]
    },
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "configEntries.list": {
    "path": "/v1/config/service-intentions",
    "answers": {
      "example": {
        "value": [
          {
            "Kind": "service-intentions",
            "Name": "orders",
            "Sources": [
              {
                "Name": "shop",
                "Action": "allow",
                "Precedence": 9,
                "Type": "consul",
                "Description": "The shop reads orders"
              }
            ],
            "CreateIndex": 8,
            "ModifyIndex": 8
          }
        ]
      }
    }
  },
  "configEntries.read": {
    "path": "/v1/config/service-intentions/orders",
    "answers": {
      "example": {
        "value": {
          "Kind": "service-intentions",
          "Name": "orders",
          "Sources": [
            {
              "Name": "shop",
              "Action": "allow",
              "Precedence": 9,
              "Type": "consul",
              "Description": "The shop reads orders"
            }
          ],
          "CreateIndex": 8,
          "ModifyIndex": 8
        }
      }
    }
  },
  "configEntries.delete": {
    "path": "/v1/config/service-intentions/orders",
    "answers": {
      "example": {
        "value": {}
      }
    }
  },
  "coordinates.datacenters": {
    "path": "/v1/coordinate/datacenters",
    "answers": {
      "example": {
        "value": [
          {
            "Datacenter": "dc1",
            "AreaID": "wan",
            "Coordinates": [
              {
                "Node": "mock",
                "Segment": "",
                "Coord": {
                  "Vec": [
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0
                  ],
                  "Error": 1.5,
                  "Adjustment": 0,
                  "Height": 0.00001
                }
              }
            ]
          }
        ]
      }
    }
  },
  "coordinates.nodes": {
    "path": "/v1/coordinate/nodes",
    "answers": {
      "example": {
        "value": [
          {
            "Node": "db-1",
            "Segment": "",
            "Coord": {
              "Vec": [
                0.001,
                0,
                0,
                0,
                0,
                0,
                0,
                0.002
              ],
              "Error": 0.2,
              "Adjustment": 0.0001,
              "Height": 0.00001
            }
          }
        ]
      }
    }
  },
  "coordinates.node": {
    "path": "/v1/coordinate/node/db-1",
    "answers": {
      "example": {
        "value": [
          {
            "Node": "db-1",
            "Segment": "",
            "Coord": {
              "Vec": [
                0.001,
                0,
                0,
                0,
                0,
                0,
                0,
                0.002
              ],
              "Error": 0.2,
              "Adjustment": 0.0001,
              "Height": 0.00001
            }
          }
        ]
      }
    }
  },
  "coordinates.update": {
    "path": "/v1/coordinate/update",
    "body": {
      "Node": "db-1",
      "Coord": {
        "Vec": [
          0.001,
          0,
          0,
          0,
          0,
          0,
          0,
          0.002
        ],
        "Error": 0.2,
        "Adjustment": 0.0001,
        "Height": 0.00001
      }
    },
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "areas.create": {
    "path": "/v1/operator/area",
    "body": {
      "PeerDatacenter": "dc2",
      "RetryJoin": [
        "10.2.0.8"
      ]
    },
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
        }
      }
    }
  },
  "areas.list": {
    "path": "/v1/operator/area",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "PeerDatacenter": "dc2",
            "RetryJoin": [
              "10.2.0.8"
            ],
            "UseTLS": false
          }
        ]
      }
    }
  },
  "areas.read": {
    "path": "/v1/operator/area/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "PeerDatacenter": "dc2",
            "RetryJoin": [
              "10.2.0.8"
            ],
            "UseTLS": false
          }
        ]
      }
    }
  },
  "areas.delete": {
    "path": "/v1/operator/area/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "areas.members": {
    "path": "/v1/operator/area/9abb8b9c-37d1-8bb2-a223-59a8feb59e15/members",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "5b9b5a1e-6b3f-4d0e-8b6d-0a4f4f4a4d11",
            "Name": "db-1.dc2",
            "Addr": "10.2.0.8",
            "Port": 8500,
            "Datacenter": "dc2",
            "Role": "server",
            "Build": "1.11",
            "Protocol": 2,
            "Status": "alive",
            "RTT": -1
          }
        ]
      }
    }
  },
  "areas.join": {
    "path": "/v1/operator/area/9abb8b9c-37d1-8bb2-a223-59a8feb59e15/join",
    "body": [
      "10.2.0.9",
      "db-3.dc2.example.com:8500"
    ],
    "answers": {
      "example": {
        "value": [
          {
            "Address": "10.2.0.9",
            "Joined": true,
            "Error": ""
          },
          {
            "Address": "db-3.dc2.example.com:8500",
            "Joined": true,
            "Error": ""
          }
        ]
      }
    }
  },
  "catalog.register": {
    "path": "/v1/catalog/register",
    "body": {
      "Node": "db-1",
      "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
      "Address": "10.0.0.7",
      "NodeMeta": {
        "rack": "r1"
      },
      "Service": {
        "ID": "web-1",
        "Service": "web",
        "Tags": [
          "v2"
        ],
        "Port": 8080
      },
      "Check": {
        "CheckID": "web-alive",
        "Name": "web is alive",
        "ServiceID": "web-1",
        "Status": "passing",
        "Output": "all good"
      }
    },
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "catalog.deregister": {
    "path": "/v1/catalog/deregister",
    "body": {
      "Node": "db-1",
      "ServiceID": "web-1"
    },
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "catalog.nodes": {
    "path": "/v1/catalog/nodes",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
            "Node": "db-1",
            "Address": "10.0.0.7",
            "Datacenter": "dc1",
            "TaggedAddresses": null,
            "Meta": {
              "rack": "r1"
            },
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "catalog.services": {
    "path": "/v1/catalog/services",
    "answers": {
      "example": {
        "value": {
          "web": [
            "v2"
          ]
        }
      }
    }
  },
  "catalog.service": {
    "path": "/v1/catalog/service/web",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
            "Node": "db-1",
            "Address": "10.0.0.7",
            "Datacenter": "dc1",
            "TaggedAddresses": null,
            "NodeMeta": {
              "rack": "r1"
            },
            "ServiceKind": "",
            "ServiceID": "web-1",
            "ServiceName": "web",
            "ServiceTags": [
              "v2"
            ],
            "ServiceAddress": "",
            "ServiceWeights": {
              "Passing": 1,
              "Warning": 1
            },
            "ServiceMeta": {},
            "ServicePort": 8080,
            "ServiceSocketPath": "",
            "ServiceEnableTagOverride": false,
            "ServiceProxy": {
              "MeshGateway": {},
              "Expose": {}
            },
            "ServiceConnect": {},
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "catalog.connect": {
    "path": "/v1/catalog/connect/web",
    "answers": {
      "example": {
        "value": []
      }
    }
  },
  "catalog.node": {
    "path": "/v1/catalog/node/db-1",
    "answers": {
      "example": {
        "value": {
          "Node": {
            "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
            "Node": "db-1",
            "Address": "10.0.0.7",
            "Datacenter": "dc1",
            "TaggedAddresses": null,
            "Meta": {
              "rack": "r1"
            },
            "CreateIndex": 3,
            "ModifyIndex": 3
          },
          "Services": {
            "web-1": {
              "ID": "web-1",
              "Service": "web",
              "Tags": [
                "v2"
              ],
              "Address": "",
              "Meta": null,
              "Port": 8080,
              "Weights": {
                "Passing": 1,
                "Warning": 1
              },
              "EnableTagOverride": false,
              "Proxy": {
                "MeshGateway": {},
                "Expose": {}
              },
              "Connect": {},
              "CreateIndex": 3,
              "ModifyIndex": 3
            }
          }
        }
      }
    }
  },
  "catalog.nodeServices": {
    "path": "/v1/catalog/node-services/db-1",
    "answers": {
      "example": {
        "value": {
          "Node": {
            "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
            "Node": "db-1",
            "Address": "10.0.0.7",
            "Datacenter": "dc1",
            "TaggedAddresses": null,
            "Meta": {
              "rack": "r1"
            },
            "CreateIndex": 3,
            "ModifyIndex": 3
          },
          "Services": [
            {
              "ID": "web-1",
              "Service": "web",
              "Tags": [
                "v2"
              ],
              "Address": "",
              "Meta": null,
              "Port": 8080,
              "Weights": {
                "Passing": 1,
                "Warning": 1
              },
              "EnableTagOverride": false,
              "Proxy": {
                "MeshGateway": {},
                "Expose": {}
              },
              "Connect": {},
              "CreateIndex": 3,
              "ModifyIndex": 3
            }
          ]
        }
      }
    }
  },
  "catalog.gatewayServices": {
    "path": "/v1/catalog/gateway-services/web",
    "answers": {
      "example": {
        "value": []
      }
    }
  },
  "health.node": {
    "path": "/v1/health/node/db-1",
    "answers": {
      "example": {
        "value": [
          {
            "Node": "db-1",
            "CheckID": "web-alive",
            "Name": "web is alive",
            "Status": "passing",
            "Notes": "",
            "Output": "all good",
            "ServiceID": "web-1",
            "ServiceName": "web",
            "ServiceTags": [
              "v2"
            ],
            "Type": "",
            "Interval": "",
            "Timeout": "",
            "ExposedPort": 0,
            "Definition": {},
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "health.checks": {
    "path": "/v1/health/checks/web",
    "answers": {
      "example": {
        "value": [
          {
            "Node": "db-1",
            "CheckID": "web-alive",
            "Name": "web is alive",
            "Status": "passing",
            "Notes": "",
            "Output": "all good",
            "ServiceID": "web-1",
            "ServiceName": "web",
            "ServiceTags": [
              "v2"
            ],
            "Type": "",
            "Interval": "",
            "Timeout": "",
            "ExposedPort": 0,
            "Definition": {},
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "health.service": {
    "path": "/v1/health/service/web",
    "answers": {
      "example": {
        "value": [
          {
            "Node": {
              "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
              "Node": "db-1",
              "Address": "10.0.0.7",
              "Datacenter": "dc1",
              "TaggedAddresses": null,
              "Meta": {
                "rack": "r1"
              },
              "CreateIndex": 3,
              "ModifyIndex": 3
            },
            "Service": {
              "ID": "web-1",
              "Service": "web",
              "Tags": [
                "v2"
              ],
              "Address": "",
              "Meta": null,
              "Port": 8080,
              "Weights": {
                "Passing": 1,
                "Warning": 1
              },
              "EnableTagOverride": false,
              "Proxy": {
                "MeshGateway": {},
                "Expose": {}
              },
              "Connect": {},
              "CreateIndex": 3,
              "ModifyIndex": 3
            },
            "Checks": [
              {
                "Node": "db-1",
                "CheckID": "web-alive",
                "Name": "web is alive",
                "Status": "passing",
                "Notes": "",
                "Output": "all good",
                "ServiceID": "web-1",
                "ServiceName": "web",
                "ServiceTags": [
                  "v2"
                ],
                "Type": "",
                "Interval": "",
                "Timeout": "",
                "ExposedPort": 0,
                "Definition": {},
                "CreateIndex": 3,
                "ModifyIndex": 3
              }
            ]
          }
        ]
      }
    }
  },
  "health.connect": {
    "path": "/v1/health/connect/web",
    "answers": {
      "example": {
        "value": []
      }
    }
  },
  "health.ingress": {
    "path": "/v1/health/ingress/web",
    "answers": {
      "example": {
        "value": []
      }
    }
  },
  "health.state": {
    "path": "/v1/health/state/passing",
    "answers": {
      "example": {
        "value": [
          {
            "Node": "db-1",
            "CheckID": "web-alive",
            "Name": "web is alive",
            "Status": "passing",
            "Notes": "",
            "Output": "all good",
            "ServiceID": "web-1",
            "ServiceName": "web",
            "ServiceTags": [
              "v2"
            ],
            "Type": "",
            "Interval": "",
            "Timeout": "",
            "ExposedPort": 0,
            "Definition": {},
            "CreateIndex": 3,
            "ModifyIndex": 3
          }
        ]
      }
    }
  },
  "health.uiNodes": {
    "path": "/v1/internal/ui/nodes",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
            "Node": "db-1",
            "Address": "10.0.0.7",
            "TaggedAddresses": null,
            "Meta": {
              "rack": "r1"
            },
            "Services": [
              {
                "ID": "web-1",
                "Service": "web",
                "Tags": [
                  "v2"
                ],
                "Address": "",
                "Meta": null,
                "Port": 8080,
                "Weights": {
                  "Passing": 1,
                  "Warning": 1
                },
                "EnableTagOverride": false,
                "Proxy": {
                  "MeshGateway": {},
                  "Expose": {}
                },
                "Connect": {},
                "CreateIndex": 3,
                "ModifyIndex": 3
              }
            ],
            "Checks": [
              {
                "Node": "db-1",
                "CheckID": "web-alive",
                "Name": "web is alive",
                "Status": "passing",
                "Notes": "",
                "Output": "all good",
                "ServiceID": "web-1",
                "ServiceName": "web",
                "ServiceTags": [
                  "v2"
                ],
                "Type": "",
                "Interval": "",
                "Timeout": "",
                "ExposedPort": 0,
                "Definition": {},
                "CreateIndex": 3,
                "ModifyIndex": 3
              }
            ]
          }
        ]
      }
    }
  },
  "health.uiNode": {
    "path": "/v1/internal/ui/node/db-1",
    "answers": {
      "example": {
        "value": {
          "ID": "5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70",
          "Node": "db-1",
          "Address": "10.0.0.7",
          "TaggedAddresses": null,
          "Meta": {
            "rack": "r1"
          },
          "Services": [
            {
              "ID": "web-1",
              "Service": "web",
              "Tags": [
                "v2"
              ],
              "Address": "",
              "Meta": null,
              "Port": 8080,
              "Weights": {
                "Passing": 1,
                "Warning": 1
              },
              "EnableTagOverride": false,
              "Proxy": {
                "MeshGateway": {},
                "Expose": {}
              },
              "Connect": {},
              "CreateIndex": 3,
              "ModifyIndex": 3
            }
          ],
          "Checks": [
            {
              "Node": "db-1",
              "CheckID": "web-alive",
              "Name": "web is alive",
              "Status": "passing",
              "Notes": "",
              "Output": "all good",
              "ServiceID": "web-1",
              "ServiceName": "web",
              "ServiceTags": [
                "v2"
              ],
              "Type": "",
              "Interval": "",
              "Timeout": "",
              "ExposedPort": 0,
              "Definition": {},
              "CreateIndex": 3,
              "ModifyIndex": 3
            }
          ]
        }
      }
    }
  },
  "health.uiServices": {
    "path": "/v1/internal/ui/services",
    "answers": {
      "example": {
        "value": [
          {
            "Name": "web",
            "Datacenter": "dc1",
            "Tags": [
              "v2"
            ],
            "Nodes": [
              "db-1"
            ],
            "InstanceCount": 1,
            "ChecksPassing": 1,
            "ChecksWarning": 0,
            "ChecksCritical": 0,
            "ExternalSources": null,
            "GatewayConfig": {},
            "ConnectedWithProxy": false,
            "ConnectedWithGateway": false
          }
        ]
      }
    }
  },
  "agent.services": {
    "path": "/v1/agent/services",
    "answers": {
      "example": {
        "value": {
          "web-1": {
            "ID": "web-1",
            "Service": "web",
            "Tags": [
              "v2"
            ],
            "Meta": {},
            "Port": 8080,
            "Address": "",
            "Weights": {
              "Passing": 1,
              "Warning": 1
            },
            "EnableTagOverride": false
          }
        }
      }
    }
  },
  "agent.service": {
    "path": "/v1/agent/service/web-1",
    "answers": {
      "example": {
        "value": {
          "ID": "web-1",
          "Service": "web",
          "Tags": [
            "v2"
          ],
          "Meta": {},
          "Port": 8080,
          "Address": "",
          "Weights": {
            "Passing": 1,
            "Warning": 1
          },
          "EnableTagOverride": false,
          "ContentHash": "3fe17b245a7515cb"
        }
      }
    }
  },
  "agent.checks": {
    "path": "/v1/agent/checks",
    "answers": {
      "example": {
        "value": {
          "service:web-1": {
            "Node": "mock",
            "CheckID": "service:web-1",
            "Name": "Service 'web' check",
            "Status": "passing",
            "Notes": "",
            "Output": "",
            "ServiceID": "web-1",
            "ServiceName": "web",
            "ServiceTags": [
              "v2"
            ],
            "Type": "ttl",
            "Interval": "",
            "Timeout": "",
            "ExposedPort": 0,
            "Definition": {},
            "CreateIndex": 3,
            "ModifyIndex": 5
          }
        }
      }
    }
  },
  "agent.registerService": {
    "path": "/v1/agent/service/register",
    "body": {
      "ID": "web-1",
      "Name": "web",
      "Port": 8080,
      "Tags": [
        "v2"
      ],
      "Check": {
        "TTL": "30s",
        "DeregisterCriticalServiceAfter": "10m"
      }
    },
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agent.deregisterService": {
    "path": "/v1/agent/service/deregister/web-1",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agent.serviceMaintenance": {
    "path": "/v1/agent/service/maintenance/web-1?enable=true",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agent.maintenance": {
    "path": "/v1/agent/maintenance?enable=true",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agent.serviceHealth": {
    "path": "/v1/agent/health/service/id/web-1",
    "answers": {
      "example": {
        "value": {
          "AggregatedStatus": "passing",
          "Service": {
            "ID": "web-1",
            "Service": "web",
            "Tags": [
              "v2"
            ],
            "Meta": {},
            "Port": 8080,
            "Address": "",
            "Weights": {
              "Passing": 1,
              "Warning": 1
            },
            "EnableTagOverride": false
          },
          "Checks": [
            {
              "Node": "mock",
              "CheckID": "service:web-1",
              "Name": "Service 'web' check",
              "Status": "passing",
              "Notes": "",
              "Output": "",
              "ServiceID": "web-1",
              "ServiceName": "web",
              "ServiceTags": [
                "v2"
              ],
              "Type": "",
              "Interval": "",
              "Timeout": "",
              "ExposedPort": 0,
              "Definition": {
                "Interval": "0s",
                "Timeout": "0s",
                "DeregisterCriticalServiceAfter": "0s",
                "HTTP": "",
                "Header": null,
                "Method": "",
                "Body": "",
                "TLSSkipVerify": false,
                "TCP": ""
              },
              "CreateIndex": 3,
              "ModifyIndex": 5
            }
          ]
        }
      }
    }
  },
  "agent.healthByName": {
    "path": "/v1/agent/health/service/name/web",
    "answers": {
      "example": {
        "value": [
          {
            "AggregatedStatus": "passing",
            "Service": {
              "ID": "web-1",
              "Service": "web",
              "Tags": [
                "v2"
              ],
              "Meta": {},
              "Port": 8080,
              "Address": "",
              "Weights": {
                "Passing": 1,
                "Warning": 1
              },
              "EnableTagOverride": false
            },
            "Checks": [
              {
                "Node": "mock",
                "CheckID": "service:web-1",
                "Name": "Service 'web' check",
                "Status": "passing",
                "Notes": "",
                "Output": "",
                "ServiceID": "web-1",
                "ServiceName": "web",
                "ServiceTags": [
                  "v2"
                ],
                "Type": "",
                "Interval": "",
                "Timeout": "",
                "ExposedPort": 0,
                "Definition": {
                  "Interval": "0s",
                  "Timeout": "0s",
                  "DeregisterCriticalServiceAfter": "0s",
                  "HTTP": "",
                  "Header": null,
                  "Method": "",
                  "Body": "",
                  "TLSSkipVerify": false,
                  "TCP": ""
                },
                "CreateIndex": 3,
                "ModifyIndex": 5
              }
            ]
          }
        ]
      }
    }
  },
  "agentChecks.register": {
    "path": "/v1/agent/check/register",
    "body": {
      "ID": "web-http",
      "Name": "Home page of web",
      "ServiceID": "web-1",
      "HTTP": "http://10.0.0.7:8080/health",
      "Interval": "10s",
      "Timeout": "2s"
    },
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentChecks.deregister": {
    "path": "/v1/agent/check/deregister/web-http",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentChecks.pass": {
    "path": "/v1/agent/check/pass/service%3Aweb-1",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentChecks.warn": {
    "path": "/v1/agent/check/warn/service%3Aweb-1",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentChecks.fail": {
    "path": "/v1/agent/check/fail/service%3Aweb-1",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentChecks.update": {
    "path": "/v1/agent/check/update/service%3Aweb-1",
    "body": {
      "Status": "warning",
      "Output": "the queue grows"
    },
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentProcess.join": {
    "path": "/v1/agent/join/10.0.0.8",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentProcess.forceLeave": {
    "path": "/v1/agent/force-leave/node-2",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentProcess.leave": {
    "path": "/v1/agent/leave",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentProcess.reload": {
    "path": "/v1/agent/reload",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "agentProcess.host": {
    "path": "/v1/agent/host",
    "answers": {
      "example": {
        "value": {
          "Memory": {
            "total": 8589934592,
            "available": 4294967296,
            "used": 4294967296
          },
          "CPU": [
            {
              "cpu": 0,
              "modelName": "Example CPU",
              "mhz": 2400
            }
          ],
          "Host": {
            "hostname": "node-1",
            "os": "linux",
            "platform": "linux",
            "kernelVersion": "6.1.0",
            "uptime": 86400
          },
          "Disk": null,
          "CollectionTime": 1769860800000000000,
          "Errors": null
        }
      }
    }
  },
  "operations.replication": {
    "path": "/v1/acl/replication",
    "answers": {
      "example": {
        "value": {
          "Enabled": false,
          "Running": false,
          "SourceDatacenter": "",
          "ReplicationType": "",
          "ReplicatedIndex": 0,
          "ReplicatedRoleIndex": 0,
          "ReplicatedTokenIndex": 0,
          "LastSuccess": "0001-01-01T00:00:00Z",
          "LastError": "0001-01-01T00:00:00Z",
          "Mode": "enabled"
        }
      }
    }
  },
  "operations.changes": {
    "path": "/v1/acl/changes",
    "answers": {
      "example": {
        "value": {
          "Cluster": "020ffab2-8567-773d-8dba-4227c384325e",
          "Datacenter": "dc1",
          "After": "13",
          "Index": 14,
          "Time": "2026-01-31T12:00:07.5Z",
          "Namespaces": [],
          "Policies": [],
          "Roles": [],
          "Tokens": [],
          "Deleted": {
            "Namespaces": [],
            "Policies": [],
            "Roles": [],
            "Tokens": [
              "35f60fba-01e5-c3ff-81fe-736391ee73f7"
            ]
          }
        }
      }
    }
  },
  "operations.migration": {
    "path": "/v1/internal/acl/migration",
    "answers": {
      "example": {
        "value": {
          "State": "running",
          "Done": 1280,
          "Total": 40000,
          "Batches": 10,
          "TokensPerSecond": 128,
          "EstimatedSeconds": 303,
          "StartedAt": "2026-01-31T12:00:00Z",
          "LastBatchAt": "2026-01-31T12:00:09Z"
        }
      }
    }
  },
  "operations.leader": {
    "path": "/v1/status/leader",
    "answers": {
      "example": {
        "value": "latchkey.test:443"
      }
    }
  },
  "operations.peers": {
    "path": "/v1/status/peers",
    "answers": {
      "example": {
        "value": [
          "latchkey.test:443"
        ]
      }
    }
  },
  "operations.self": {
    "path": "/v1/agent/self",
    "answers": {
      "example": {
        "value": {
          "Config": {
            "Datacenter": "dc1",
            "NodeName": "mock",
            "NodeID": "00000000-0000-4000-8000-00000000000d",
            "Revision": "",
            "Server": true,
            "Version": "1.11"
          },
          "DebugConfig": {
            "ACLDatacenter": "dc1",
            "ACLDefaultPolicy": "deny",
            "ACLsEnabled": true,
            "Datacenter": "dc1",
            "HTTPAddrs": [
              "tcp://latchkey.test:443"
            ],
            "NodeName": "mock",
            "PrimaryDatacenter": "dc1",
            "SegmentName": "",
            "SerfAdvertiseAddrLAN": "tcp://latchkey.test:443",
            "SerfAdvertiseAddrWAN": "tcp://latchkey.test:443",
            "ServerMode": true,
            "TaggedAddresses": {
              "lan": "latchkey.test",
              "wan": "latchkey.test"
            },
            "Version": "1.11",
            "NodeID": "00000000-0000-4000-8000-00000000000d"
          },
          "Coord": {
            "Vec": [
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0
            ],
            "Error": 1.5,
            "Adjustment": 0,
            "Height": 0.00001
          },
          "Member": {
            "ID": "00000000-0000-4000-8000-00000000000d",
            "Name": "mock",
            "Addr": "latchkey.test",
            "Port": 443,
            "Tags": {
              "acls": "1",
              "build": "1.11:",
              "dc": "dc1",
              "id": "00000000-0000-4000-8000-00000000000d",
              "port": "443",
              "role": "consul",
              "segment": "",
              "raft_vsn": "3",
              "vsn": "2",
              "vsn_max": "3",
              "vsn_min": "2",
              "wan_join_port": "443"
            },
            "Status": 1,
            "ProtocolMin": 1,
            "ProtocolMax": 5,
            "ProtocolCur": 2,
            "DelegateMin": 2,
            "DelegateMax": 5,
            "DelegateCur": 4,
            "Datacenter": "dc1",
            "Version": "1.11"
          },
          "Stats": {
            "agent": {
              "check_monitors": "0",
              "check_ttls": "0",
              "checks": "1",
              "services": "0"
            },
            "build": {
              "prerelease": "",
              "revision": "",
              "version": "1.11"
            },
            "consul": {
              "acl": "enabled",
              "bootstrap": "false",
              "known_datacenters": "1",
              "leader": "true",
              "leader_addr": "latchkey.test:443",
              "server": "true"
            },
            "raft": {
              "applied_index": "11",
              "commit_index": "11",
              "last_log_index": "11",
              "num_peers": "0",
              "protocol_version": "3",
              "state": "Leader"
            },
            "serf_lan": {
              "failed": "0",
              "left": "0",
              "members": "1"
            },
            "serf_wan": {
              "failed": "0",
              "left": "0",
              "members": "1"
            },
            "runtime": {
              "cpu_count": "0",
              "os": ""
            },
            "latchkey": {
              "acl": "enabled",
              "server": "true",
              "version": "1.0.0-rc.1"
            }
          },
          "Meta": {
            "consul-network-segment": ""
          }
        }
      }
    }
  },
  "operations.setReplicationToken": {
    "path": "/v1/agent/token/replication",
    "body": {
      "Token": "a0e3f4b2-8d0c-4a5e-9f56-3a1c7d2b9e80"
    },
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "operations.members": {
    "path": "/v1/agent/members",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "00000000-0000-4000-8000-00000000000d",
            "Name": "mock",
            "Addr": "latchkey.test",
            "Port": 443,
            "Tags": {
              "acls": "1",
              "build": "1.11:",
              "dc": "dc1",
              "id": "00000000-0000-4000-8000-00000000000d",
              "port": "443",
              "role": "consul",
              "segment": "",
              "raft_vsn": "3",
              "vsn": "2",
              "vsn_max": "3",
              "vsn_min": "2",
              "wan_join_port": "443"
            },
            "Status": 1,
            "ProtocolMin": 1,
            "ProtocolMax": 5,
            "ProtocolCur": 2,
            "DelegateMin": 2,
            "DelegateMax": 5,
            "DelegateCur": 4,
            "Datacenter": "dc1",
            "Version": "1.11"
          }
        ]
      }
    }
  },
  "operations.metrics": {
    "path": "/v1/agent/metrics",
    "answers": {
      "example": {
        "value": {
          "Timestamp": "2026-01-31 12:00:00 +0000 UTC",
          "Gauges": [
            {
              "Name": "latchkey_waiters",
              "Value": 3,
              "Labels": {}
            }
          ],
          "Points": [],
          "Counters": [],
          "Samples": []
        }
      }
    }
  },
  "operations.datacenters": {
    "path": "/v1/catalog/datacenters",
    "answers": {
      "example": {
        "value": [
          "dc1"
        ]
      }
    }
  },
  "operations.versions": {
    "path": "/v1/internal/versions?from=1.8.0&to=1.8.1",
    "answers": {
      "example": {
        "value": [
          {
            "Gate": "token.nodeIdentities",
            "Change": "added",
            "At": "1.8.1",
            "Kind": "field",
            "SpecRow": "2.1; 9.1 (1.8.1)",
            "Sentence": "Before 1.8.1 NodeIdentities is an unknown field; since then a token carries node identities.",
            "ClientSees": "NodeIdentities is ignored before 1.7.0, refused with 400 in 1.7.0 to 1.8.0, and gives rights from 1.8.1.",
            "BreaksClients": false,
            "DecidedBy": "both"
          },
          {
            "Gate": "bindingRule.node",
            "Change": "added",
            "At": "1.8.1",
            "Kind": "behaviour",
            "SpecRow": "2.5; decisions: auth methods",
            "Sentence": "Before 1.8.1 a binding rule binds services and roles; since then also nodes.",
            "ClientSees": "BindType node is refused with 400 before, and gives a node identity from 1.8.1.",
            "BreaksClients": false,
            "DecidedBy": "server"
          },
          {
            "Gate": "limit.nodeName",
            "Change": "added",
            "At": "1.8.1",
            "Kind": "limit",
            "SpecRow": "8; 2.5",
            "Sentence": "Before 1.8.1 there are no node identities; since then a NodeName has at most 256 characters.",
            "ClientSees": "A longer NodeName is refused with 400.",
            "BreaksClients": false,
            "DecidedBy": "server"
          },
          {
            "Gate": "dns.unknownDatacenter",
            "Change": "added",
            "At": "1.8.1",
            "Kind": "behaviour",
            "SpecRow": "9.3; decisions: dns",
            "Sentence": "Before 1.8.1 DNS fails for an unknown datacenter; since then names in it do not exist.",
            "ClientSees": "NXDOMAIN instead of SERVFAIL.",
            "BreaksClients": false,
            "DecidedBy": "agent"
          }
        ]
      }
    }
  },
  "operations.openapi": {
    "path": "/v1/openapi.json",
    "answers": {
      "example": {
        "value": {
          "openapi": "3.1.1",
          "info": {
            "title": "Latchkey",
            "version": "1.11"
          },
          "paths": {}
        }
      }
    }
  },
  "operator.raftConfiguration": {
    "path": "/v1/operator/raft/configuration",
    "answers": {
      "example": {
        "value": {
          "Servers": [
            {
              "ID": "00000000-0000-4000-8000-00000000000d",
              "Node": "mock",
              "Address": "latchkey.test:443",
              "Leader": true,
              "ProtocolVersion": "3",
              "Voter": true
            }
          ],
          "Index": 0
        }
      }
    }
  },
  "operator.removePeer": {
    "path": "/v1/operator/raft/peer",
    "answers": {
      "example": {
        "value": ""
      }
    }
  },
  "operator.autopilotHealth": {
    "path": "/v1/operator/autopilot/health",
    "answers": {
      "example": {
        "value": {
          "Healthy": true,
          "FailureTolerance": 0,
          "Servers": [
            {
              "ID": "00000000-0000-4000-8000-00000000000d",
              "Name": "mock",
              "Address": "latchkey.test:443",
              "SerfStatus": "alive",
              "Version": "1.11",
              "Leader": true,
              "LastContact": "0s",
              "LastTerm": 0,
              "LastIndex": 0,
              "Healthy": true,
              "Voter": true,
              "StableSince": "2026-01-31T12:00:06.25Z"
            }
          ]
        }
      }
    }
  },
  "operator.readAutopilot": {
    "path": "/v1/operator/autopilot/configuration",
    "answers": {
      "example": {
        "value": {
          "CleanupDeadServers": true,
          "LastContactThreshold": "200ms",
          "MaxTrailingLogs": 250,
          "MinQuorum": 0,
          "ServerStabilizationTime": "10s",
          "RedundancyZoneTag": "",
          "DisableUpgradeMigration": false,
          "UpgradeVersionTag": "",
          "CreateIndex": 0,
          "ModifyIndex": 0
        }
      }
    }
  },
  "operator.writeAutopilot": {
    "path": "/v1/operator/autopilot/configuration",
    "body": {
      "CleanupDeadServers": false
    },
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "snapshots.read": {
    "path": "/v1/snapshot",
    "answers": {
      "example": {
        "value": "…"
      }
    }
  },
  "snapshots.restore": {
    "path": "/v1/snapshot",
    "body": "…",
    "answers": {
      "example": {
        "value": {
          "Index": 1000042,
          "SnapshotIndex": 42,
          "Records": {
            "token": 3,
            "policy": 2,
            "role": 1,
            "kv": 12
          }
        }
      }
    }
  },
  "datacenters.accept": {
    "path": "/v1/acl/replication/accept",
    "body": {
      "Cluster": "0b7a3c1e-5f0d-4f5c-9a3e-2f1f6c1d8e70"
    },
    "answers": {
      "example": {
        "value": {
          "Accepted": "0b7a3c1e-5f0d-4f5c-9a3e-2f1f6c1d8e70",
          "PrimaryDatacenter": "dc1"
        }
      }
    }
  },
  "datacenters.promote": {
    "path": "/v1/acl/replication/promote",
    "body": {
      "Datacenter": "dc2",
      "Force": true
    },
    "answers": {
      "example": {
        "value": {
          "Datacenter": "dc2",
          "Cluster": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
          "Index": 4294967301,
          "FollowedCluster": "28a04cb2-9573-d13d-810f-8312913829f4",
          "FollowedIndex": 2,
          "Skipped": []
        }
      }
    }
  },
  "legacy.translate": {
    "path": "/v1/acl/rules/translate",
    "body": "key \"orders/\" {\n  policy = \"read\"\n}\n",
    "answers": {
      "example": {
        "value": "key_prefix \"orders/\" {\n  policy = \"read\"\n}"
      }
    }
  },
  "legacy.translateToken": {
    "path": "/v1/acl/rules/translate/ed726926-dcd6-69a7-3eb9-b2a64467705e",
    "answers": {
      "example": {
        "value": "key_prefix \"orders/\" {\n  policy = \"read\"\n}"
      }
    }
  },
  "legacy.create": {
    "path": "/v1/acl/create",
    "body": {
      "Name": "old",
      "Type": "client",
      "Rules": "key \"orders/\" {\n  policy = \"read\"\n}\n"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
        }
      }
    }
  },
  "legacy.update": {
    "path": "/v1/acl/update",
    "body": {
      "Name": "older",
      "Type": "client",
      "Rules": "key \"orders/\" {\n  policy = \"read\"\n}\n",
      "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
    },
    "answers": {
      "example": {
        "value": {
          "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15"
        }
      }
    }
  },
  "legacy.destroy": {
    "path": "/v1/acl/destroy/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": true
      }
    }
  },
  "legacy.info": {
    "path": "/v1/acl/info/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "old",
            "Type": "client",
            "Rules": "key \"orders/\" {\n  policy = \"read\"\n}\n",
            "CreateIndex": 3,
            "ModifyIndex": 4
          }
        ]
      }
    }
  },
  "legacy.clone": {
    "path": "/v1/acl/clone/9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
    "answers": {
      "example": {
        "value": {
          "ID": "ee316dd6-d3f2-d145-5c95-4f23b22df535"
        }
      }
    }
  },
  "legacy.list": {
    "path": "/v1/acl/list",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "8f0c4d5e-61b7-4b0a-9d3e-2a7c95e1f846",
            "Name": "Initial Management Token",
            "Type": "management",
            "Rules": "",
            "CreateIndex": 1,
            "ModifyIndex": 1
          },
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "old",
            "Type": "client",
            "Rules": "key \"orders/\" {\n  policy = \"read\"\n}\n",
            "CreateIndex": 3,
            "ModifyIndex": 4
          }
        ]
      }
    }
  },
  "legacy.import": {
    "path": "/v1/internal/acl/legacy-tokens",
    "body": [
      {
        "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
        "Name": "old",
        "Type": "client",
        "Rules": "key \"orders/\" {\n  policy = \"read\"\n}\n",
        "CreateIndex": 3,
        "ModifyIndex": 4
      }
    ],
    "answers": {
      "example": {
        "value": {
          "Imported": 1,
          "Unchanged": 0,
          "Problems": []
        }
      }
    }
  },
  "legacy.export": {
    "path": "/v1/internal/acl/legacy-tokens",
    "answers": {
      "example": {
        "value": [
          {
            "ID": "8f0c4d5e-61b7-4b0a-9d3e-2a7c95e1f846",
            "Name": "Initial Management Token",
            "Type": "management",
            "Rules": "",
            "CreateIndex": 1,
            "ModifyIndex": 1
          },
          {
            "ID": "9abb8b9c-37d1-8bb2-a223-59a8feb59e15",
            "Name": "old",
            "Type": "client",
            "Rules": "key \"orders/\" {\n  policy = \"read\"\n}\n",
            "CreateIndex": 3,
            "ModifyIndex": 4
          }
        ]
      }
    }
  }
}
