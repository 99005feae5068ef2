# Stands in for `npm publish`: a version can be published once.
set -e
mkdir -p registry
if [ -e "registry/app-$VERSION.txt" ]; then echo "version $VERSION exists already"; exit 1; fi
cp dist/app.txt "registry/app-$VERSION.txt"
# The machine dies at the worst moment: the version is published, but Pawl has no record of it.
kill -9 $PPID
