-- Nothing is edited in place: the chapters of a version stay as they are once a run began with it or a later one exists.
CREATE VIEW finished_versions AS
  SELECT id FROM versions WHERE EXISTS (SELECT 1 FROM workflow_runs WHERE base_version_id = versions.id)
    OR EXISTS (SELECT 1 FROM versions AS later WHERE later.book_id = versions.book_id AND later.number > versions.number);
CREATE TRIGGER finished_chapters_stay BEFORE UPDATE ON chapters WHEN OLD.version_id IN (SELECT id FROM finished_versions) BEGIN
  SELECT RAISE(ABORT, 'a finished version is not changed; make a new version');
END;
CREATE TRIGGER finished_versions_get_no_chapters BEFORE INSERT ON chapters WHEN NEW.version_id IN (SELECT id FROM finished_versions) BEGIN
  SELECT RAISE(ABORT, 'a finished version is not changed; make a new version');
END;
