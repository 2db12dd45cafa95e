-- One row: the servers that can run on this schema are those that know this migration, so all since this release. Migrations that
-- only add leave it as it is. A migration that takes something away sets both, to what no longer needs it. Decisions: schema upgrades.
CREATE TABLE schema_compatibility (
  id        boolean PRIMARY KEY DEFAULT true CHECK (id),
  migration text NOT NULL,
  release   text NOT NULL
);

INSERT INTO schema_compatibility (migration, release) VALUES ('20261130000000_schema_compatibility', '0.1.0');
