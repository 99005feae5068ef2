-- Which version a plan was made for: an agent may take days until the next version is there.
ALTER TABLE strategic_plans ADD COLUMN version_id TEXT;
CREATE TRIGGER plan_is_for_the_latest_version AFTER INSERT ON strategic_plans BEGIN
  UPDATE strategic_plans SET version_id = (
    SELECT versions.id FROM versions JOIN workflow_runs USING (book_id)
    WHERE workflow_runs.id = NEW.run_id ORDER BY versions.number DESC LIMIT 1
  ) WHERE id = NEW.id;
END;
