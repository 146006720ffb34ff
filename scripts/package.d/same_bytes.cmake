# Run by CPack between installing and packing: modes without the builder's umask, times of SOURCE_DATE_EPOCH.
set(tree ${CPACK_TEMPORARY_DIRECTORY})
execute_process(COMMAND chmod -R u=rwX,go=rX ${tree} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${tree} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
                COMMAND_ERROR_IS_FATAL ANY)
