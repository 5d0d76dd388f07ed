-- Steps from resource to resource through the primary key, one probe each: there is no index by namespace, because
-- only the final removal of a namespace would ever use it.
CREATE OR REPLACE FUNCTION tidegate.namespace_is_empty(wanted text) RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  current text;
BEGIN
  SELECT o.resource INTO current FROM tidegate.objects o ORDER BY o.resource LIMIT 1;
  WHILE current IS NOT NULL LOOP
    IF EXISTS (SELECT FROM tidegate.objects o WHERE o.resource = current AND o.namespace = wanted) THEN
      RETURN false;
    END IF;
    SELECT min(o.resource) INTO current FROM tidegate.objects o WHERE o.resource > current;
  END LOOP;
  RETURN true;
END $$;
