# find_package(Hexpass), then hexpass_enable(<target>...): compiles the target's C, C++ and Fortran sources with the
# hexpass plugin and links its runtime.
#
# The compilers must be clang and flang 22: cmake -DCMAKE_C_COMPILER=clang-22 -DCMAKE_Fortran_COMPILER=flang-22
# Works from an installed tree (PREFIX/lib/cmake/Hexpass) and, after `make build`, from the source tree (cmake/).

include_guard()

foreach(folder "${CMAKE_CURRENT_LIST_DIR}/../.." "${CMAKE_CURRENT_LIST_DIR}/../target/release")
    if(EXISTS "${folder}/libhexpass.so" AND EXISTS "${folder}/libhexrt.a")
        get_filename_component(_hexpass_folder "${folder}" ABSOLUTE)
        break()
    endif()
endforeach()
if(NOT DEFINED _hexpass_folder)
    set(Hexpass_FOUND FALSE)
    set(Hexpass_NOT_FOUND_MESSAGE "libhexpass.so and libhexrt.a are not where the package was found")
    return()
endif()

set(Hexpass_PLUGIN "${_hexpass_folder}/libhexpass.so")
set(Hexpass_RUNTIME "${_hexpass_folder}/libhexrt.a")
unset(_hexpass_folder)

if(NOT TARGET Hexpass::runtime)
    add_library(Hexpass::runtime INTERFACE IMPORTED)
    # The symbol makes any linker take the archive, which transformed code refers to only weakly.
    # Spelled -Wl: CMake 3.25 knows no LINKER: for flang.
    set_target_properties(Hexpass::runtime PROPERTIES
        INTERFACE_LINK_OPTIONS "-Wl,--undefined=hexrt_link"
        INTERFACE_LINK_LIBRARIES "${Hexpass_RUNTIME};${CMAKE_DL_LIBS};pthread;m")
endif()

# Fails unless the language, if the project uses it, is compiled by LLVM 22.
function(_hexpass_check_compiler language)
    if(NOT CMAKE_${language}_COMPILER_LOADED)
        return()
    endif()
    set(id "${CMAKE_${language}_COMPILER_ID}")
    if(NOT id MATCHES "^(Clang|LLVMFlang)$")
        message(FATAL_ERROR "hexpass: ${CMAKE_${language}_COMPILER} (${id}) can't load the plugin: "
            "configure with -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 "
            "-DCMAKE_Fortran_COMPILER=flang-22")
    endif()
    set(version "${CMAKE_${language}_COMPILER_VERSION}")
    if(version AND NOT version MATCHES "^22\\.")
        message(FATAL_ERROR "hexpass: the plugin is built for LLVM 22, "
            "${CMAKE_${language}_COMPILER} is version ${version}")
    endif()
endfunction()

function(hexpass_enable)
    foreach(language C CXX Fortran)
        _hexpass_check_compiler(${language})
    endforeach()
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE
            "$<$<COMPILE_LANGUAGE:C,CXX,Fortran>:-fpass-plugin=${Hexpass_PLUGIN}>")
        # As a property: the target may have used target_link_libraries with or without keywords, which don't mix.
        set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES Hexpass::runtime)
        get_target_property(type ${target} TYPE)
        if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
            set_property(TARGET ${target} APPEND PROPERTY
                INTERFACE_LINK_LIBRARIES Hexpass::runtime)
        elseif(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
            target_link_options(${target} PRIVATE "-Wl,--exclude-libs,libhexrt.a")
        endif()
    endforeach()
endfunction()
