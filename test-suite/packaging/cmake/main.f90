program main
  print '(i0)', 7
end program
