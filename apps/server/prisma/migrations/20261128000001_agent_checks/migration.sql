-- How the agent of a node gets the status of a check. Absent: nothing here runs it.
ALTER TABLE catalog_check ADD COLUMN agent json;
